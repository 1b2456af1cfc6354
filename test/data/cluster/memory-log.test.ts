import { describe, expect, test } from "bun:test";
import { AppendUnknown, EngineUnavailable } from "../../../src/data/cluster/log.ts";
import { MemoryEngine } from "../../support/memory-log.ts";
import { outcomeOf } from "../../support/outcome.ts";
import { describeLog } from "./log-contract.ts";

describeLog("memory", async () => {
  const engine = new MemoryEngine();
  return async () => engine.open();
});

describe("the engine in memory", () => {
  const head = { log: "log", position: 0, id: "first" };
  const started = async () => {
    const engine = new MemoryEngine();
    const log = engine.open();
    await log.create({ ...head, checksum: "", reference: "" });
    return { engine, log };
  };

  test("refuses calls while it is not available, and calls watchers afterwards", async () => {
    const { engine, log } = await started();
    const called = Promise.withResolvers<void>();
    engine.isAvailable = false;
    log.watch(called.resolve, new AbortController().signal);
    expect(await outcomeOf(log.head())).toThrow(EngineUnavailable);
    expect(await outcomeOf(log.append(head, "one", new Uint8Array()))).toThrow(EngineUnavailable);
    engine.isAvailable = true;
    await called.promise;
    expect(await log.head()).toEqual(head);
  });

  test("loses the response of one append, before or after the record is stored", async () => {
    const { engine, log } = await started();
    engine.losesNextAppend = "before";
    expect(await outcomeOf(log.append(head, "one", new Uint8Array()))).toThrow(AppendUnknown);
    expect(await log.head()).toEqual(head);
    engine.losesNextAppend = "after";
    expect(await outcomeOf(log.append(head, "two", new Uint8Array()))).toThrow(AppendUnknown);
    expect(await log.head()).toEqual({ ...head, position: 1, id: "two" });
    expect((await log.append(head, "two", new Uint8Array())).won).toBe(true);
  });

  test("keeps no record of a log that another one replaced", async () => {
    const { engine, log } = await started();
    await log.append(head, "one", new Uint8Array());
    expect(engine.records).toHaveLength(1);
    await log.create({ log: "next", position: 0, id: "first", checksum: "", reference: "" }, head.log);
    expect(engine.records).toEqual([]);
  });

  test("ends the leases of nodes that stopped", async () => {
    const { engine, log } = await started();
    const other = engine.open();
    const claim = await log.claim("sweep", 1000);
    await log.writeLease();
    const lease = other.writeLease();
    engine.expireLeases();
    expect(claim?.lost.aborted).toBe(true);
    await lease;
    expect(await other.claim("sweep", 1000)).toBeDefined();
    await claim?.[Symbol.asyncDispose]();
    expect(await log.claim("sweep", 1000)).toBeUndefined();
  });
});
