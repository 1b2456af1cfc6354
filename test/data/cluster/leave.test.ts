import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { inspectLeaving, joinCluster, makeEmbedded } from "../../../src/data/cluster/membership.ts";
import { announceNode } from "../../../src/data/cluster/nodes.ts";
import { createDatabase, openDatabase } from "../../../src/data/db/open.ts";
import { MemoryEngine } from "../../support/memory-log.ts";
import { markAt } from "../../support/replica-file.ts";
import { atEnd, temporaryDirectory } from "../../support/store.ts";

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
