import { expect, test } from "bun:test";
import { detectChanges } from "../../../src/data/db/fresh-reads.ts";
import { type Database, openDatabase } from "../../../src/data/db/open.ts";
import { atEnd, temporaryDirectory } from "../../support/store.ts";
import { Database as Client } from "bun:sqlite";
import { truncateSync, writeFileSync } from "node:fs";
import { logSize, logWarnings } from "../../../src/data/db/wal.ts";
import { MAX_LOG_BYTES } from "../../../src/data/db/pragmas.ts";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileSize } from "../../../src/lib/files.ts";

const pair = () => {
  const path = `${temporaryDirectory()}/store.db`;
  const open = () => {
    const database = openDatabase(path);
    atEnd(() => database.close());
    const statement = database.client.prepare(
      "INSERT INTO keys (name, scopes, created_at) VALUES ('x', '*', 0) RETURNING id",
    );
    const none = database.client.prepare("DELETE FROM keys WHERE id = -1 RETURNING id");
    return {
      ...database,
      write: () => database.commit([{ query: { all: () => statement.all() }, values: {} }]),
      writeNothing: () => database.commit([{ query: { all: () => none.all() }, values: {} }]),
      writeDerived: () =>
        database.commit([{ query: { all: () => statement.all() }, values: {} }], undefined, {
          isDerived: true,
        }),
      /** Another program, without group commit. */
      writeBeside: () => void statement.all(),
    };
  };
  return [open(), open()] as const;
};

const foreignOf = async (database: Pick<Database, "fresh" | "foreignVersion">) => {
  await database.fresh();
  return database.foreignVersion();
};

test("a write of another connection is seen by every later check", async () => {
  const [ours, other] = pair();
  const seen = new Set([await foreignOf(ours)]);
  for (let at = 0; at < 100; at++) {
    other.writeBeside();
    seen.add(await foreignOf(ours));
  }
  expect(seen.size).toBe(101);
});

test("a write of another connection is also seen when it comes between writes of this connection", async () => {
  const [ours, other] = pair();
  for (let at = 0; at < 50; at++) {
    const before = await foreignOf(ours);
    const own = [ours.write, ours.writeNothing, ours.writeDerived][at % 3]?.();
    other.writeBeside();
    await own;
    if (at % 4 === 0) other.writeBeside();
    expect(await foreignOf(ours)).toBeGreaterThan(before);
  }
});

test("calls of fresh in one turn all see a write that came after the first of them", async () => {
  const [ours, other] = pair();
  const before = await foreignOf(ours);
  const first = ours.fresh();
  other.writeBeside();
  await Promise.all([first, ours.fresh()]);
  expect(ours.foreignVersion()).toBeGreaterThan(before);
});

test("a write of this connection changes the version, and not the version of foreign writes", async () => {
  const [ours] = pair();
  const [foreign, version] = [await foreignOf(ours), ours.version()];
  await ours.write();
  await ours.write();
  expect(await foreignOf(ours)).toBe(foreign);
  expect(ours.version()).toBeGreaterThan(version);
});

test("a write of this connection that is derived leaves the version as it is, unless it shares a transaction with another", async () => {
  const [ours] = pair();
  const version = ours.version();
  await Promise.all([ours.writeDerived(), ours.writeDerived()]);
  expect([await foreignOf(ours), ours.version()]).toEqual([0, version]);
  await Promise.all([ours.writeDerived(), ours.write()]);
  expect(ours.version()).toBeGreaterThan(version);
});

test("a write of this connection that writes no page does not hide a foreign write directly after it", () => {
  const [ours, other] = pair();
  const changes = detectChanges(ours.client);
  ours.client.run("BEGIN IMMEDIATE");
  changes.beginOwn();
  // It counts as a changed row, although there is nothing to merge.
  ours.client.run("INSERT INTO pets_words (pets_words, rank) VALUES ('merge', 1)");
  ours.client.run("COMMIT");
  other.writeBeside();
  changes.endOwn();
  expect(changes.foreign()).toBe(1);
});

test("a write of this connection that changes no row does not hide a foreign write", async () => {
  const [ours, other] = pair();
  const before = await foreignOf(ours);
  await ours.writeNothing();
  expect(await foreignOf(ours)).toBe(before);
  other.writeBeside();
  expect(await foreignOf(ours)).toBeGreaterThan(before);
});

test("a checkpoint of another connection does not count as a write, and later writes are seen", async () => {
  const [ours, other] = pair();
  other.writeBeside();
  const before = await foreignOf(ours);
  other.client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  other.writeBeside();
  expect(await foreignOf(ours)).toBeGreaterThan(before);
});

/** A store whose log has grown because a reader holds an older snapshot. */
const grown = () => {
  const path = `${temporaryDirectory()}/store.db`;
  const database = openDatabase(path);
  atEnd(() => database.close());
  const reader = new Client(path, { readonly: true });
  atEnd(() => reader.close());
  reader.run("BEGIN");
  reader.query("SELECT count(*) FROM pets").get();
  const { client } = database;
  const add = () =>
    client.run("INSERT INTO pets (name, category_id, created_at) VALUES (?, 1, 0)", ["x".repeat(200)]);
  client.run("PRAGMA synchronous=OFF");
  while (logSize(path) <= MAX_LOG_BYTES) for (let at = 0; at < 200; at++) add();
  return { path, database, reader, add };
};

test("a log that has grown is truncated without a write, once it has no readers", async () => {
  const { path, database, reader } = grown();
  await database.shrinkLog();
  expect(logSize(path)).toBeGreaterThan(MAX_LOG_BYTES);
  reader.run("COMMIT");
  await database.shrinkLog();
  expect(logSize(path)).toBe(0);
});

test("a small log is left alone", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const database = openDatabase(path);
  atEnd(() => database.close());
  const before = logSize(path);
  expect(before).toBeGreaterThan(0);
  await database.shrinkLog();
  expect(logSize(path)).toBe(before);
});

test("a store that closes while its log is copied waits for that, and is intact", async () => {
  const { path, database, reader, add } = grown();
  add();
  reader.run("COMMIT");
  const shrinking = database.shrinkLog();
  await database.close();
  await shrinking;
  await database.shrinkLog();
  const client = new Client(path, { readonly: true });
  expect(client.query("PRAGMA quick_check(1)").get()).toEqual({ quick_check: "ok" });
  client.close();
});

test("readiness warns of a log that has not been copied for long", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  expect(logWarnings(path)).toEqual([]);
  writeFileSync(`${path}-wal`, "");
  truncateSync(`${path}-wal`, 16 * MAX_LOG_BYTES);
  expect(logWarnings(path)).toEqual([
    { code: "database_log_large", count: 1, message: expect.stringContaining("has grown to 268 MB") },
  ]);
});

const open = (path = `${temporaryDirectory()}/store.db`) => {
  const database = openDatabase(path);
  atEnd(() => database.close());
  const { client, commit } = database;
  const insertStatement = client.prepare("INSERT INTO categories (name, folded) VALUES (?1, ?1)");
  const countStatement = client.prepare<{ count: number }, []>("SELECT count(*) AS count FROM categories");
  return {
    ...database,
    path,
    count: () => countStatement.get()?.count,
    add: (name: string) => commit([{ query: { all: () => insertStatement.all(name) }, values: {} }]),
  };
};

test("reads that wait for the same `fresh` see one state, and later ones see the writes since then", async () => {
  const ours = open();
  const other = open(ours.path);
  await ours.fresh();
  expect(ours.count()).toBe(0);
  other.client.run("INSERT INTO categories (name, folded) VALUES ('dogs', 'dogs')");
  expect(ours.count()).toBe(0);
  await ours.fresh();
  expect(ours.count()).toBe(1);
});

test("reads that wait for the same `fresh` see writes from before the next event, once that comes", async () => {
  const ours = open();
  const other = open(ours.path);
  await ours.fresh();
  ours.count();
  other.client.run("INSERT INTO categories (name, folded) VALUES ('dogs', 'dogs')");
  await nextTurn();
  expect(ours.count()).toBe(1);
});

test("reads that wait for the same `fresh` do not keep other processes from truncating the log", async () => {
  const ours = open();
  await ours.add("dogs");
  await ours.fresh();
  ours.count();
  await nextTurn();
  const other = open(ours.path);
  other.client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  expect(fileSize(`${ours.path}-wal`)).toBe(0);
});

test("reads that wait for the same `fresh` can be followed by a write", async () => {
  const ours = open();
  await ours.fresh();
  ours.count();
  await ours.add("dogs");
  expect(ours.count()).toBe(1);
  await ours.fresh();
  expect(ours.count()).toBe(1);
});

test("reads that wait for the same `fresh` do not keep the database from closing", async () => {
  const ours = open();
  await ours.add("dogs");
  await ours.fresh();
  ours.count();
  const pending = ours.fresh();
  await ours.close();
  await pending;
  expect(fileSize(`${ours.path}-wal`)).toBe(0);
});
