import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { joinCluster, startReplica } from "../../../src/data/cluster/membership.ts";
import { createDatabase } from "../../../src/data/db/open.ts";
import { storeIdOf } from "../../../src/data/db/store-id.ts";
import { MemoryEngine } from "../../support/memory-log.ts";
import { outcomeOf } from "../../support/outcome.ts";
import { inspect, markAt, writeAsNode } from "../../support/replica-file.ts";
import { temporaryDirectory } from "../../support/store.ts";

const newPath = () => join(temporaryDirectory(), "adoption-store.db");

const newStore = () => {
  const path = newPath();
  createDatabase(path);
  return path;
};

const storeAt = (path: string) => inspect(path, storeIdOf);

describe("an embedded store that joins a cluster", () => {
  test("becomes what other nodes start from", async () => {
    const engine = new MemoryEngine();
    const path = newStore();
    expect(await joinCluster(path, engine.open(), { replace: false })).toMatchObject({ isNew: true });
    const other = newPath();
    await startReplica(other, engine.open());
    expect(storeAt(other)).toBe(storeAt(path));
    expect(markAt(other)).toEqual(markAt(path));
    await startReplica(path, engine.open());
  });

  test("stays in it when it joins again, also after other nodes wrote", async () => {
    const engine = new MemoryEngine();
    const [path, other] = [newStore(), newPath()];
    const { log } = await joinCluster(path, engine.open(), { replace: false });
    await startReplica(other, engine.open());
    await writeAsNode(engine.open(), other, "DELETE FROM categories");
    expect(await joinCluster(path, engine.open(), { replace: false })).toEqual({ log, isNew: false });
  });

  test("is refused where the engine has a log, and stays as it is", async () => {
    const engine = new MemoryEngine();
    await startReplica(newPath(), engine.open());
    const path = newStore();
    expect(await outcomeOf(joinCluster(path, engine.open(), { replace: false }))).toThrow("--replace");
    expect(markAt(path)).toBeUndefined();
  });

  test("replaces a log if it may, whose nodes then start from it", async () => {
    const engine = new MemoryEngine();
    const [path, node] = [newStore(), newPath()];
    await joinCluster(path, engine.open(), { replace: false });
    await startReplica(node, engine.open());
    await writeAsNode(engine.open(), node, "DELETE FROM categories");
    // As a restored backup: the same store without the mark.
    inspect(path, (client) => client.run("DROP TABLE replica"));
    const before = await engine.open().head();
    const { log } = await joinCluster(path, engine.open(), { replace: true });
    expect(log).not.toBe(before?.log ?? "");
    expect(engine.records).toEqual([]);
    await startReplica(node, engine.open());
    expect(markAt(node)).toEqual(markAt(path));
  });

  test("begins another log after a crash before the first one was created", async () => {
    const engine = new MemoryEngine();
    const path = newStore();
    const crash = () => {
      throw new Error("killed");
    };
    expect(await outcomeOf(joinCluster(path, engine.open(), { replace: false, onProgress: crash }))).toThrow(
      "killed",
    );
    expect(await joinCluster(path, engine.open(), { replace: false })).toMatchObject({ isNew: true });
    await startReplica(newPath(), engine.open());
  });

  test("stays what it was when another node is first", async () => {
    const engine = new MemoryEngine();
    const path = newStore();
    const log = engine.open();
    const create: typeof log.create = async (first, replaces) => {
      await startReplica(newPath(), engine.open());
      return log.create(first, replaces);
    };
    expect(await outcomeOf(joinCluster(path, { ...log, create }, { replace: false }))).toThrow(
      "run this again",
    );
    expect(markAt(path)).toBeUndefined();
    expect((await log.files.list("")).length).toBe(1);
  });

  test("puts its parts again if a node of the log that it replaces removed them", async () => {
    const engine = new MemoryEngine();
    await startReplica(newPath(), engine.open());
    const path = newStore();
    const log = engine.open();
    const create: typeof log.create = async (first, replaces) => {
      await log.files.remove(await log.files.list(""));
      return log.create(first, replaces);
    };
    await joinCluster(path, { ...log, create }, { replace: true });
    await startReplica(newPath(), engine.open());
  });

  test("is refused if it is damaged or of another version", async () => {
    const path = newStore();
    inspect(path, (client) => client.run("CREATE TABLE foreign_one (a)"));
    expect(await outcomeOf(joinCluster(path, new MemoryEngine().open(), { replace: false }))).toThrow(
      "is not part of adoption-store",
    );
  });
});
