import { describe, expect, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { openDatabase } from "../../../src/data/db/open.ts";
import { fileSize } from "../../../src/lib/files.ts";
import { atEnd, temporaryDirectory } from "../../support/store.ts";

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

describe("reads that wait for the same `fresh`", () => {
  test("see one state, and the next ones see what was written meanwhile", async () => {
    const ours = open();
    const other = open(ours.path);
    await ours.fresh();
    expect(ours.count()).toBe(0);
    other.client.run("INSERT INTO categories (name, folded) VALUES ('dogs', 'dogs')");
    expect(ours.count()).toBe(0);
    await ours.fresh();
    expect(ours.count()).toBe(1);
  });

  test("see what is written before the next event, once that comes", async () => {
    const ours = open();
    const other = open(ours.path);
    await ours.fresh();
    ours.count();
    other.client.run("INSERT INTO categories (name, folded) VALUES ('dogs', 'dogs')");
    await nextTurn();
    expect(ours.count()).toBe(1);
  });

  test("do not keep other processes from truncating the log", async () => {
    const ours = open();
    await ours.add("dogs");
    await ours.fresh();
    ours.count();
    await nextTurn();
    const other = open(ours.path);
    other.client.run("PRAGMA wal_checkpoint(TRUNCATE)");
    expect(fileSize(`${ours.path}-wal`)).toBe(0);
  });

  test("can be followed by a write", async () => {
    const ours = open();
    await ours.fresh();
    ours.count();
    await ours.add("dogs");
    expect(ours.count()).toBe(1);
    await ours.fresh();
    expect(ours.count()).toBe(1);
  });

  test("do not keep the database from closing", async () => {
    const ours = open();
    await ours.add("dogs");
    await ours.fresh();
    ours.count();
    const pending = ours.fresh();
    await ours.close();
    await pending;
    expect(fileSize(`${ours.path}-wal`)).toBe(0);
  });
});
