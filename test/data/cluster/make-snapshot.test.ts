import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../../../src/data/cluster/log.ts";
import {
  forgetBefore,
  isDue,
  makeSnapshot,
  snapshotPoller,
} from "../../../src/data/cluster/snapshot-schedule.ts";
import { startReplica } from "../../../src/data/cluster/membership.ts";
import { openReplica } from "../../../src/data/cluster/replica.ts";
import { addNamed } from "../../support/cluster.ts";
import { copyAside } from "../../../src/data/db/snapshot.ts";
import { storeIdOf } from "../../../src/data/db/store-id.ts";
import { vacuum } from "../../../src/data/db/vacuum.ts";
import { MemoryEngine } from "../../support/memory-log.ts";
import { outcomeOf } from "../../support/outcome.ts";
import { inspect, markAt, newPath, startNode, writeAsNode } from "../../support/replica-file.ts";
import { snapshotObjects } from "../../../src/data/cluster/snapshot-files.ts";
import { completeBlobsUrl, parseBlobsUrl } from "../../../src/lib/blobs-url.ts";
import { objectServer } from "../../support/object-server.ts";

const ADD = "INSERT INTO categories (name, folded) VALUES (hex(randomblob(8)), hex(randomblob(8)))";
const categoriesAt = (path: string) =>
  inspect(path, (client) => client.query("SELECT name FROM categories ORDER BY name").values());

const namesOf = async (log: Log) =>
  new Set((await log.files.list("")).map((part) => part.slice(0, part.lastIndexOf("/"))));

test("a snapshot brings a new node to the position of the node that made it", async () => {
  const { engine, log, path } = await startNode();
  for (let at = 0; at < 3; at++) await writeAsNode(log, path, ADD);
  const snapshot = await makeSnapshot(path, log, { node: "a" });
  expect(snapshot).toMatchObject({ ...markAt(path) });
  const other = newPath();
  await startReplica(other, engine.open());
  expect(markAt(other)).toEqual(markAt(path));
  expect(categoriesAt(other)).toEqual(categoriesAt(path));
  expect(readdirSync(join(path, ".."))).toEqual(["adoption-store.db"]);
});

test("a snapshot removes the records before the one before, and its parts", async () => {
  const { engine, log, path } = await startNode();
  for (const node of ["a", "b", "c"]) {
    await writeAsNode(log, path, ADD);
    await writeAsNode(log, path, ADD);
    await makeSnapshot(path, log, { node });
  }
  expect(engine.records.map(({ position }) => position)).toEqual([5, 6]);
  expect([...(await namesOf(log))].map((name) => name.slice(-6))).toEqual(["0004.b", "0006.c"]);
});

test("a snapshot is not made if no record came since the last one", async () => {
  const { log, path } = await startNode();
  expect(await makeSnapshot(path, log, { node: "a" })).toBeUndefined();
  await writeAsNode(log, path, ADD);
  expect(await makeSnapshot(path, log, { node: "a" })).toBeDefined();
  expect(await makeSnapshot(path, log, { node: "b" })).toBeUndefined();
});

test("a snapshot is not announced with a record that the engine lost", async () => {
  const { engine, log, path } = await startNode();
  await writeAsNode(log, path, ADD);
  engine.replaceLast("another", new Uint8Array(1));
  expect(await makeSnapshot(path, log, { node: "a" })).toBeUndefined();
  expect((await log.snapshot())?.position).toBe(0);
});

test("a snapshot is not announced when its claim is lost meanwhile", async () => {
  const { log, path } = await startNode();
  await writeAsNode(log, path, ADD);
  const lost = new AbortController();
  const making = makeSnapshot(path, log, {
    node: "a",
    signal: lost.signal,
    onProgress: () => lost.abort(),
  });
  expect(await outcomeOf(making)).toThrow("abort");
  expect((await log.snapshot())?.position).toBe(0);
  expect(readdirSync(join(path, ".."))).toEqual(["adoption-store.db"]);
});

test("a snapshot of a killed node leaves parts, which its next one or that of another node removes", async () => {
  const { log, path } = await startNode();
  const { log: id = "" } = (await log.head()) ?? {};
  const store = inspect(path, storeIdOf);
  const part = (name: string) => `snapshots/${store}/${name}/000000`;
  const killed = part(`${id}/0000000000000009.a`);
  const running = part(`${id}/0000000000000001.b`);
  const otherLog = part("aaaaaaaa-2c0b-4b1c-8f0b-a1a1a1a1a1a1/0000000000000009.c");
  for (const name of [killed, running, otherLog]) await log.files.put(name, new Uint8Array(1));
  await makeSnapshot(path, log, { node: "a" });
  expect(await log.files.list("")).not.toContain(killed);
  expect(await log.files.list("")).not.toContain(otherLog);
  expect(await log.files.list("")).toContain(running);
  await writeAsNode(log, path, ADD);
  await makeSnapshot(path, log, { node: "a" });
  expect([...(await namesOf(log))].map((name) => name.slice(-5))).toEqual(
    ["first", "001.a"].map((end) => end.slice(-5)),
  );
});

test("a snapshot is the only one, and the records before it are gone, when earlier data must be erased", async () => {
  const { engine, log, path } = await startNode();
  for (let at = 0; at < 3; at++) await writeAsNode(log, path, ADD);
  const snapshot = await makeSnapshot(path, log, { node: "a" });
  if (snapshot) await forgetBefore(log, snapshot, {});
  expect(engine.records).toEqual([]);
  expect((await namesOf(log)).size).toBe(1);
  const other = newPath();
  await startReplica(other, engine.open());
  expect(markAt(other)).toEqual(markAt(path));
});

test("a snapshot goes to object storage where there is some, and then not into the engine", async () => {
  const { engine, log, path } = await startNode();
  const objects = new MemoryEngine().open().files;
  for (const node of ["a", "b"]) {
    await writeAsNode(log, path, ADD);
    await makeSnapshot(path, log, { node, objects });
  }
  expect(await log.files.list("")).toEqual([]);
  const other = newPath();
  await startReplica(other, engine.open(), { objects });
  expect(markAt(other)).toEqual(markAt(path));
});

test("a snapshot of another store in the same object storage is left alone, although its nodes have the same names", async () => {
  const objects = new MemoryEngine().open().files;
  const start = async () => {
    const [engine, path] = [new MemoryEngine(), newPath()];
    const log = engine.open();
    await startReplica(path, log, { objects });
    return { engine, log, path };
  };
  const [one, other] = [await start(), await start()];
  for (const { log, path } of [one, other, one]) {
    await writeAsNode(log, path, ADD);
    const snapshot = await makeSnapshot(path, log, { node: "a", objects });
    if (snapshot) await forgetBefore(log, snapshot, { objects });
  }
  for (const { engine, path } of [one, other]) {
    const copy = newPath();
    await startReplica(copy, engine.open(), { objects });
    expect(markAt(copy)).toEqual(markAt(path));
  }
});

test("a copy of a database and its rewriting keep row ids, on which the order of a statement's rows depends", async () => {
  const { path } = await startNode();
  const rowids = (file: string) =>
    inspect(file, (client) =>
      client.query("SELECT rowid, authority FROM acme_accounts ORDER BY rowid").values(),
    );
  inspect(path, (client) => {
    for (const authority of ["a", "b", "c"])
      client.run("INSERT INTO acme_accounts (authority, key) VALUES (?, 'k')", [authority]);
    client.run("DELETE FROM acme_accounts WHERE authority = 'a'");
  });
  const before = rowids(path);
  await copyAside(path, `${path}.copy`);
  await vacuum(path);
  expect([rowids(`${path}.copy`), rowids(path)]).toEqual([before, before]);
  expect(before[0]).toEqual([2, "b"]);
});

test("a snapshot waits until another node has the same contents, and is not made if one has others", async () => {
  const { log, path } = await startNode();
  await writeAsNode(log, path, ADD);
  let [agreed, isDisputed] = [-1, true];
  const judge = { isAlone: () => false, agreedUpTo: () => agreed, isDisputed: () => isDisputed };
  setTimeout(() => (agreed = 1), 20);
  expect(await makeSnapshot(path, log, { node: "a", judge })).toBeUndefined();
  expect((await log.snapshot())?.position).toBe(0);
  isDisputed = false;
  expect(await makeSnapshot(path, log, { node: "a", judge })).toMatchObject({ position: 1 });
});

test("a snapshot is not made of a file that has changed by itself", async () => {
  const { log, path } = await startNode();
  const node = await openReplica(path, log, { node: "a" });
  await addNamed(node, "Charlie");
  await node.database.close();
  inspect(path, (client) => void client.run("UPDATE pets SET name = 'Clarlie'"));
  expect(await outcomeOf(makeSnapshot(path, log, { node: "a" }))).toThrow("the file is damaged");
  expect((await log.snapshot())?.position).toBe(0);
});

test("a node that was stopped starts from the snapshot if the records that it lacks were removed", async () => {
  const { engine, log, path } = await startNode();
  const away = newPath();
  await startReplica(away, engine.open());
  for (const node of ["a", "b"]) {
    for (let at = 0; at < 2; at++) await writeAsNode(log, path, ADD);
    await makeSnapshot(path, log, { node });
  }
  await startReplica(away, engine.open());
  expect(markAt(away)).toEqual(markAt(path));
});

test("a node that was stopped keeps its file if the log still has the records that it lacks", async () => {
  const { engine, log, path } = await startNode();
  const away = newPath();
  await startReplica(away, engine.open());
  await writeAsNode(log, path, ADD);
  await makeSnapshot(path, log, { node: "a" });
  await startReplica(away, engine.open());
  expect(markAt(away)?.position).toBe(0);
});

describe("a snapshot is due", () => {
  const NEW = { records: 0, bytes: 0, ageMs: 0 };
  test.each([
    ["right behind another", NEW, false],
    ["after 50,000 records", { ...NEW, records: 50_000 }, true],
    ["after 32 MiB", { ...NEW, records: 10, bytes: 2 ** 25 }, true],
    ["after a day with a record", { ...NEW, records: 1, ageMs: 86_400_000 }, true],
    ["after a day without one", { ...NEW, ageMs: 86_400_000 }, false],
  ])("%s: %#", (_when, growth, expected) => {
    expect(isDue(growth)).toBe(expected);
  });

  test("and is made once the log has grown", async () => {
    const { log, path } = await startNode();
    let recordBytes = 0;
    const state = () => ({ position: markAt(path)?.position ?? 0, recordBytes }) as never;
    const made: number[] = [];
    const poller = snapshotPoller(
      path,
      { log, node: "a", state, fail: () => {} },
      {
        onMade: ({ position }) => made.push(position),
        onError: (error) => {
          throw error;
        },
      },
    );
    await poller.tick();
    await writeAsNode(log, path, ADD);
    await poller.tick();
    expect(made).toEqual([]);
    recordBytes = 2 ** 25;
    await poller.tick();
    expect(made).toEqual([1]);
    await poller.stop();
  });
});

test("parts of snapshots are stored, read, listed and removed in the object store of BLOBS_URL", async () => {
  await using server = objectServer();
  const store = snapshotObjects(completeBlobsUrl(parseBlobsUrl(server.url), {}));
  await store?.put("snapshots/a/1", new Uint8Array([1, 2]));
  await store?.put("snapshots/a/2", new Uint8Array(3));
  await store?.put("other", new Uint8Array(1));
  expect(await store?.list("snapshots/")).toEqual(["snapshots/a/1", "snapshots/a/2"]);
  expect([...((await store?.get("snapshots/a/1")) ?? [])]).toEqual([1, 2]);
  await store?.remove(["snapshots/a/1", "snapshots/a/2"]);
  expect(await store?.list("")).toEqual(["other"]);
  expect(await store?.get("snapshots/a/1")).toBeUndefined();
});

test("a part that is larger than any that was stored is not read into memory", async () => {
  await using server = objectServer();
  const store = snapshotObjects(completeBlobsUrl(parseBlobsUrl(server.url), {}));
  await store?.put("snapshots/a/1", new Uint8Array(2 ** 20 + 1));
  expect(await store?.get("snapshots/a/1")).toBeUndefined();
});

test("without BLOBS_URL there is no object store of snapshots", () => {
  expect(snapshotObjects(undefined)).toBeUndefined();
});
