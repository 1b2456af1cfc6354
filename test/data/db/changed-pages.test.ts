import { Database as Client } from "bun:sqlite";
import { expect, test } from "bun:test";
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { pageWatch, tablesWith } from "../../../src/data/db/changed-pages.ts";
import { outcomeOf } from "../../support/outcome.ts";
import { atEnd, temporaryDirectory } from "../../support/ends.ts";

const PAGE = 4096;

/** A database with some hundred pages, its last pages of the table `pets`. */
const open = () => {
  const path = join(temporaryDirectory(), "store.db");
  const client = new Client(path, { create: true, readwrite: true });
  atEnd(() => client.close());
  client.run("PRAGMA journal_mode=WAL");
  client.run("PRAGMA synchronous=NORMAL");
  client.run("CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT)");
  const add = (count: number, by = client) =>
    by.run(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
       INSERT INTO pets (name) SELECT 'Bella ' || hex(randomblob(400)) FROM n`,
    );
  add(1000);
  client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  return { path, client, add };
};

/** A process that the system gives the same file: a bit of it differs from what was written. */
const flip = (path: string, page: number): void => {
  // Closing the descriptor of a file that SQLite has open would drop its locks: a test has no other process that needs them.
  const file = openSync(path, "r+");
  const byte = Buffer.alloc(1);
  const at = (page - 1) * PAGE + 3000;
  readSync(file, byte, 0, 1, at);
  byte.writeUInt8(byte.readUInt8(0) ^ 4, 0);
  writeSync(file, byte, 0, 1, at);
  closeSync(file);
};

test("a page that changes without a commit is found, in its table, until it is written", async () => {
  const { path, client } = open();
  const pages = pageWatch(path);
  expect(await pages.pass()).toEqual([]);
  expect(await pages.pass()).toEqual([]);
  flip(path, 100);
  expect(await pages.pass()).toEqual([100]);
  expect(await pages.pass()).toEqual([100]);
  expect(await tablesWith(path, [100])).toEqual(new Map([["pets", 1]]));
  client.run("UPDATE pets SET name = 'Max ' || name");
  pages.note(false);
  expect(await pages.pass()).toEqual([]);
});

test("commits, and copies of the log into the file, change no page that counts", async () => {
  const { path, client, add } = open();
  const pages = pageWatch(path);
  await pages.pass();
  for (let round = 0; round < 40; round++) {
    add(200);
    pages.note(false);
    client.run(`UPDATE pets SET name = 'Max' WHERE id % 97 = ${round}`);
    pages.note(false);
    if (round % 3 === 0) client.run("PRAGMA wal_checkpoint(PASSIVE)");
    if (round % 10 === 0) expect(await pages.pass()).toEqual([]);
  }
  client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  expect(await pages.pass()).toEqual([]);
  flip(path, 50);
  expect(await pages.pass()).toEqual([50]);
});

test("commits of other connections are noted, and a log that was replaced unread begins the comparison again", async () => {
  const { path, client, add } = open();
  const pages = pageWatch(path);
  await pages.pass();
  using other = new Client(path);
  add(300, other);
  expect(await pages.pass()).toEqual([]);
  for (let round = 0; round < 3; round++) {
    add(300, other);
    client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  expect(await pages.pass()).toEqual([]);
  expect(await pages.pass()).toEqual([]);
  flip(path, 70);
  expect(await pages.pass()).toEqual([70]);
});

test("after a pass that was stopped, the comparison begins again", async () => {
  const { path, client } = open();
  const pages = pageWatch(path);
  await pages.pass();
  client.run("UPDATE pets SET name = 'Max ' || name");
  pages.note(false);
  client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const stopped = new AbortController();
  const pass = pages.pass(stopped.signal);
  stopped.abort();
  expect(await outcomeOf(pass)).toThrow();
  expect(await pages.pass()).toEqual([]);
  flip(path, 60);
  expect(await pages.pass()).toEqual([60]);
});

test("a change while no server runs is found by the first pass, and a write by another program is not", async () => {
  const { path, client } = open();
  const first = pageWatch(path);
  await first.pass();
  client.run("UPDATE pets SET name = 'Luna' WHERE id = 1");
  first.note(false);
  client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  client.close();
  await first.close();
  const restarted = async () => {
    const opened = new Client(path, { readwrite: true });
    opened.query("SELECT count(*) FROM pets").get();
    const pages = pageWatch(path);
    const found = await pages.pass();
    opened.close();
    await pages.close();
    return found;
  };
  expect(await restarted()).toEqual([]);
  // A program's write changes the time of the file, a disk does not.
  Bun.spawnSync(["cp", "--attributes-only", "--preserve=timestamps", path, `${path}.times`]);
  flip(path, 100);
  Bun.spawnSync(["touch", `--reference=${path}.times`, path]);
  expect(await restarted()).toEqual([100]);
  {
    using other = new Client(path, { readwrite: true });
    other.run("UPDATE pets SET name = 'Max'");
  }
  expect(await restarted()).toEqual([]);
});
