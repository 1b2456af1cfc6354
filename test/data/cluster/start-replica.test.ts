import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { markOutdated } from "../../../src/data/cluster/load-snapshot.ts";
import type { Log } from "../../../src/data/cluster/log.ts";
import { startReplica } from "../../../src/data/cluster/membership.ts";
import { openDatabase } from "../../../src/data/db/open.ts";
import { storeIdOf } from "../../../src/data/db/store-id.ts";
import { MemoryEngine } from "../../support/memory-log.ts";
import { outcomeOf } from "../../support/outcome.ts";
import { inspect, markAt } from "../../support/replica-file.ts";
import { temporaryDirectory } from "../../support/store.ts";

const newPath = () => join(temporaryDirectory(), "adoption-store.db");

const storeAt = (path: string) => inspect(path, storeIdOf);

/** Appends records without meaning. */
const append = async (log: Log, count: number) => {
  for (let at = 0; at < count; at++) {
    const head = await log.head();
    if (head) await log.append(head, crypto.randomUUID(), new Uint8Array(10));
  }
};

describe("the start of a replica", () => {
  test("begins a log with an empty database where there is none", async () => {
    const log = new MemoryEngine().open();
    const path = newPath();
    await startReplica(path, log);
    const head = await log.head();
    expect(head?.position).toBe(0);
    expect(markAt(path)).toMatchObject({ ...head });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(path, ".."))).toEqual(["adoption-store.db"]);
  });

  test("takes the database of the node that was first, also when all start at once", async () => {
    const engine = new MemoryEngine();
    const paths = [newPath(), newPath(), newPath()];
    await Promise.all(paths.map((path) => startReplica(path, engine.open())));
    expect(new Set(paths.map(storeAt)).size).toBe(1);
    expect(new Set(paths.map((path) => markAt(path)?.log)).size).toBe(1);
    const log = engine.open();
    const { name } = JSON.parse((await log.snapshot())?.reference ?? "") as { name: string };
    const parts = await log.files.list("");
    expect(parts.every((part) => part.startsWith(`${name}/`))).toBe(true);
  });

  test("says that it loads a snapshot before it does, which may take minutes", async () => {
    const engine = new MemoryEngine();
    const calls: string[] = [];
    const start = async (path: string) => {
      const onLoad = async () => void calls.push(`${path} exists: ${existsSync(path)}`);
      await startReplica(path, engine.open(), { onLoad });
    };
    const [first, other] = [newPath(), newPath()];
    await start(first);
    expect(calls).toEqual([]);
    await start(other);
    await start(other);
    expect(calls).toEqual([`${other} exists: false`]);
    await markOutdated(other, "a test");
    await start(other);
    expect(calls).toHaveLength(2);
  });

  test("keeps a replica that the log goes on from", async () => {
    const log = new MemoryEngine().open();
    const path = newPath();
    await startReplica(path, log);
    await append(log, 3);
    const { ino } = statSync(path);
    await startReplica(path, log);
    expect(statSync(path).ino).toBe(ino);
  });

  test("keeps a replica while the engine is away", async () => {
    const engine = new MemoryEngine();
    const path = newPath();
    await startReplica(path, engine.open());
    engine.isAvailable = false;
    const { ino } = statSync(path);
    await startReplica(path, engine.open());
    expect(statSync(path).ino).toBe(ino);
    expect(await outcomeOf(startReplica(newPath(), engine.open()))).toThrow("not available");
  });

  test("loads the snapshot again if the replica is marked as outdated, and removes the mark and the old log", async () => {
    const log = new MemoryEngine().open();
    const path = newPath();
    await startReplica(path, log);
    truncateSync(path, 5000);
    writeFileSync(`${path}-wal`, "of the old database");
    await markOutdated(path, "its checksum differs");
    await startReplica(path, log);
    expect(readdirSync(join(path, ".."))).toEqual(["adoption-store.db"]);
    expect(markAt(path)).toMatchObject({ ...(await log.head()) });
  });

  test("loads the snapshot if the log does not go on from the replica", async () => {
    const engine = new MemoryEngine();
    const log = engine.open();
    const path = newPath();
    await startReplica(path, log);
    inspect(path, (client) => client.run("UPDATE replica SET position = 1, id = 'lost'"));
    await startReplica(path, log);
    expect(markAt(path)?.position).toBe(0);
    await append(log, 1);
    inspect(path, (client) => client.run("UPDATE replica SET position = 1, id = 'lost'"));
    await startReplica(path, log);
    expect(markAt(path)?.position).toBe(0);
    inspect(path, (client) => client.run("UPDATE replica SET log = 'another'"));
    await startReplica(path, log);
    expect(markAt(path)).toMatchObject({ log: (await log.head())?.log ?? "" });
  });

  test("refuses an embedded store and leaves it as it is", async () => {
    const path = newPath();
    await openDatabase(path).close();
    const id = storeAt(path);
    expect(await outcomeOf(startReplica(path, new MemoryEngine().open()))).toThrow("cluster join");
    expect([storeAt(path), markAt(path)]).toEqual([id, undefined]);
  });

  test("refuses to replace a replica of another store", async () => {
    const [one, other] = [new MemoryEngine().open(), new MemoryEngine().open()];
    const [path, otherPath] = [newPath(), newPath()];
    await startReplica(path, one);
    await startReplica(otherPath, other);
    expect(await outcomeOf(startReplica(path, other))).toThrow("another store");
    expect(markAt(path)?.log).toBe((await one.head())?.log ?? "");
    expect(existsSync(`${path}.outdated`)).toBe(false);
  });

  test("refuses to start another log where the engine has lost the one of the replica", async () => {
    const path = newPath();
    await startReplica(path, new MemoryEngine().open());
    expect(await outcomeOf(startReplica(path, new MemoryEngine().open()))).toThrow("the engine has no log");
    await markOutdated(path, "a test");
    expect(await outcomeOf(startReplica(path, new MemoryEngine().open()))).toThrow("the engine has no log");
  });

  test.each([
    ["is missing", (log: Log, parts: string[]) => log.files.remove(parts.slice(0, 1)), "is missing"],
    ["is damaged", (log: Log, [part = ""]: string[]) => log.files.put(part, new Uint8Array(9)), "is damaged"],
    [
      "has another content",
      (log: Log, [part = ""]: string[]) => log.files.put(part, Bun.zstdCompressSync(new Uint8Array(4096))),
      "another size",
    ],
    [
      "would fill the memory",
      (log: Log, [part = ""]: string[]) => log.files.put(part, Bun.zstdCompressSync(new Uint8Array(2e7))),
      "is damaged",
    ],
  ])("refuses a snapshot of which a part %s", async (_how, spoil, message) => {
    const log = new MemoryEngine().open();
    await startReplica(newPath(), log);
    await spoil(log, await log.files.list(""));
    const path = newPath();
    expect(await outcomeOf(startReplica(path, log))).toThrow(message);
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });

  test("uses object storage for the snapshot where there is some", async () => {
    const engine = new MemoryEngine();
    const objects = new MemoryEngine().open().files;
    await startReplica(newPath(), engine.open(), { objects });
    expect(await engine.open().files.list("")).toEqual([]);
    const path = newPath();
    await startReplica(path, engine.open(), { objects });
    expect(markAt(path)?.position).toBe(0);
    expect(await outcomeOf(startReplica(newPath(), engine.open()))).toThrow("BLOBS_URL");
  });
});

test("a node whose snapshot is damaged says how another one is made", async () => {
  const engine = new MemoryEngine();
  const log = engine.open();
  await startReplica(newPath(), log);
  for (const part of await log.files.list("")) await log.files.put(part, new Uint8Array(10));
  expect(await outcomeOf(startReplica(newPath(), engine.open()))).toThrow("cluster join --replace");
});
