import { Database as Client } from "bun:sqlite";
import { expect, test } from "bun:test";
import { truncateSync, writeFileSync } from "node:fs";
import { logSize, logWarnings } from "../../../src/data/db/wal.ts";
import { openDatabase } from "../../../src/data/db/open.ts";
import { MAX_LOG_BYTES } from "../../../src/data/db/pragmas.ts";
import { atEnd, temporaryDirectory } from "../../support/store.ts";

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

test("a log that has grown is truncated without a write, once nobody reads it", async () => {
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
