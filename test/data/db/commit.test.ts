import { Database as Client } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { type GroupCommitOptions, type Statement, groupCommit } from "../../../src/data/db/commit.ts";
import { StorageUnavailable } from "../../../src/lib/storage-errors.ts";
import { openDatabase } from "../../../src/data/db/open.ts";
import { statement, value } from "../../../src/data/db/statement.ts";
import { atEnd, temporaryDirectory } from "../../support/store.ts";
import { outcomeOf } from "../../support/outcome.ts";

interface Row {
  id: number;
  name: string;
}

/** A table of unique names, and a statement that adds one. */
const table = (path = ":memory:", settings: GroupCommitOptions = {}) => {
  const client = new Client(path, { create: true, strict: true });
  atEnd(() => client.close());
  client.run("PRAGMA journal_mode=WAL");
  client.run(
    "CREATE TABLE IF NOT EXISTS things (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE) STRICT",
  );
  const query = statement<Row>(sql`INSERT INTO things (name) VALUES (${value("name")}) RETURNING id, name`);
  const add = (name: string): Statement<Row[]> => query.with({ name });
  const names = () =>
    client
      .query<Row, []>("SELECT * FROM things ORDER BY id")
      .all()
      .map((row) => row.name);
  return { client, add, names, ...groupCommit(client, settings) };
};

const outcomes = async (acts: Promise<unknown>[]) =>
  (await Promise.allSettled(acts)).map(({ status }) => (status === "fulfilled" ? "done" : "failed"));

test("writes of the same turn share one transaction and each gets its own rows", async () => {
  const { commit, add, counts } = table();
  const acts = await Promise.all(["a", "b", "c"].map((name) => commit([add(name)])));
  expect(acts.map(([[row]]) => row?.name)).toEqual(["a", "b", "c"]);
  expect(counts.visible).toBe(1);
});

test("writes of the same turn resolve only after the transaction is committed", async () => {
  const path = `${temporaryDirectory()}/things.db`;
  const { commit, add } = table(path);
  const other = new Client(path);
  atEnd(() => other.close());
  const seen: number[] = [];
  const look = () => seen.push(other.query("SELECT * FROM things").all().length);
  await Promise.all([commit([add("a")]).then(look), commit([add("b")]).then(look)]);
  expect(seen).toEqual([2, 2]);
});

test("writes of the same turn succeed when another one of them breaks a constraint", async () => {
  const { commit, add, names } = table();
  expect(await outcomes(["a", "b", "a", "c"].map((name) => commit([add(name)])))).toEqual([
    "done",
    "done",
    "failed",
    "done",
  ]);
  expect(names()).toEqual(["a", "b", "c"]);
});

test("writes of the same turn take several transactions when there are more than a group holds", async () => {
  const { commit, add, counts, names } = table(":memory:", { groupSize: 2 });
  await Promise.all(["a", "b", "c", "d", "e"].map((name) => commit([add(name)])));
  expect(counts.visible).toBe(3);
  expect(names()).toHaveLength(5);
});

test("a write of several statements is stored completely or not at all", async () => {
  const { commit, add, names } = table();
  expect(
    await outcomes([
      commit([add("a"), add("b")]),
      commit([add("c"), add("a")]),
      commit([add("d"), add("e")]),
    ]),
  ).toEqual(["done", "failed", "done"]);
  expect(names()).toEqual(["a", "b", "d", "e"]);
});

test("a write waits for another process's lock, and reads continue meanwhile", async () => {
  const path = `${temporaryDirectory()}/things.db`;
  const { commit, add, names } = table(path);
  const other = new Client(path);
  atEnd(() => other.close());
  other.run("BEGIN IMMEDIATE");
  let done = false;
  const act = commit([add("a")]).then(() => (done = true));
  await Bun.sleep(60);
  expect([done, names()]).toEqual([false, []]);
  other.run("COMMIT");
  await act;
  expect(names()).toEqual(["a"]);
});

test("a write that waits too long for a lock is refused, and a later one succeeds", async () => {
  const path = `${temporaryDirectory()}/things.db`;
  const { commit, add, names } = table(path, { lockWait: 40 });
  const other = new Client(path);
  atEnd(() => other.close());
  other.run("BEGIN IMMEDIATE");
  expect(await outcomeOf(commit([add("a")]))).toThrow(StorageUnavailable);
  other.run("COMMIT");
  await commit([add("b")]);
  expect(names()).toEqual(["b"]);
});

test("writes beyond the queue's limit are refused immediately", async () => {
  const { commit, add, names } = table(":memory:", { queueLimit: 2 });
  expect(await outcomes(["a", "b", "c"].map((name) => commit([add(name)])))).toEqual([
    "done",
    "done",
    "failed",
  ]);
  expect(names()).toEqual(["a", "b"]);
});

test("drain waits for every queued write", async () => {
  const { commit, add, drain, names } = table(":memory:", { groupSize: 1 });
  for (const name of ["a", "b", "c"]) void commit([add(name)]);
  await drain();
  expect(names()).toEqual(["a", "b", "c"]);
  await drain();
});

test("drain ends when the last queued writes were refused because they waited too long", async () => {
  const path = `${temporaryDirectory()}/things.db`;
  const { commit, add, drain } = table(path, { lockWait: 40 });
  const other = new Client(path);
  atEnd(() => other.close());
  other.run("BEGIN IMMEDIATE");
  const writes = outcomes([commit([add("a")]), commit([add("b")])]);
  await drain();
  expect(await writes).toEqual(["failed", "failed"]);
});

test("a write after the connection is closed is refused", async () => {
  const database = openDatabase(join(temporaryDirectory(), "store.db"));
  await database.close();
  const statement = { query: { all: () => database.client.run("DELETE FROM pets") }, values: {} };
  expect(await outcomes([database.commit([statement])])).toEqual(["failed"]);
});
