import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { joinCluster } from "../../src/cluster/join.ts";
import { catchUp, inspectLeaving, makeEmbedded } from "../../src/cluster/leave.ts";
import { announceNode } from "../../src/cluster/nodes.ts";
import { createDatabase } from "../../src/db/new-database.ts";
import { openDatabase } from "../../src/db/open.ts";
import { EngineUnavailable } from "../../src/lib/storage-errors.ts";
import { outcomeOf } from "../support/outcome.ts";
import { MemoryEngine } from "../support/memory-log.ts";
import { markAt } from "../support/replica-file.ts";
import { atEnd, temporaryDirectory } from "../support/store.ts";

const newMember = async (engine = new MemoryEngine()) => {
  const path = join(temporaryDirectory(), "adoption-store.db");
  createDatabase(path);
  await joinCluster(path, engine.open(), { replace: true });
  return { engine, path };
};

test("a replica cannot be opened as an embedded store", async () => {
  const { path } = await newMember();
  expect(() => openDatabase(path)).toThrow("the database is a replica of a cluster: set DATABASE_URL");
  makeEmbedded(path);
  await openDatabase(path).close();
});

describe("catching up", () => {
  const away = () => Promise.reject(new EngineUnavailable("not within 5 s"));

  test("goes on for as long as the replica gets on", async () => {
    let position = 0;
    const fresh = () => (++position < 5 ? away() : Promise.resolve());
    await catchUp({ fresh }, { state: () => ({ position }) as never });
    expect(position).toBe(5);
  });

  test("ends when the replica does not get on", async () => {
    const outcome = await outcomeOf(catchUp({ fresh: away }, { state: () => ({ position: 7 }) as never }));
    expect(outcome).toThrow("not within 5 s");
  });
});

describe("a node that leaves the cluster", () => {
  test("is told which nodes go on", async () => {
    const { engine, path } = await newMember();
    expect(await inspectLeaving(path, engine.open())).toEqual({ log: "current", running: [] });
    const entry = {
      id: "b",
      name: "bert",
      version: "1",
      format: 1,
      position: 0,
      address: "",
      since: 0,
      now: 0,
    };
    const nodes = announceNode(engine.open(), () => entry, { onError: () => {}, onTaken: () => {} });
    atEnd(nodes.stop);
    await nodes.tick();
    expect(await inspectLeaving(path, engine.open())).toEqual({ log: "current", running: ["bert"] });
  });

  test("is told if its log is gone or was replaced", async () => {
    const { engine, path } = await newMember();
    expect(await inspectLeaving(path, new MemoryEngine().open())).toMatchObject({ log: "lost" });
    await newMember(engine);
    expect(await inspectLeaving(path, engine.open())).toMatchObject({ log: "replaced" });
  });

  test("is an embedded store afterwards, also when it leaves again", async () => {
    const { engine, path } = await newMember();
    makeEmbedded(path);
    expect(markAt(path)).toBeUndefined();
    makeEmbedded(path);
    expect(await inspectLeaving(path, engine.open())).toEqual({ log: "none", running: [] });
  });
});
