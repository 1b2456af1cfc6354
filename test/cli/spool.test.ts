import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { exportParts } from "../../src/store/import-export/export.ts";
import { spooling, type SpoolOptions, type Target } from "../../src/cli/export.ts";
import { openDatabase } from "../../src/data/db/open.ts";
import { atEnd, temporaryDirectory } from "../support/store.ts";
import { outcomeOf } from "../support/outcome.ts";

/** A reader that reads nothing until it is released. */
const slowReader = () => {
  const { promise: goes, resolve: go } = Promise.withResolvers<boolean>();
  const parts: Buffer[] = [];
  const ends: string[] = [];
  const target: Target = {
    async write(content) {
      const isRead = await goes;
      parts.push(typeof content === "string" ? Buffer.from(content) : Buffer.from(content));
      return isRead;
    },
    finish: async () => void ends.push("finished"),
    abandon: async () => void ends.push("abandoned"),
  };
  return { target, go, ends, text: () => Buffer.concat(parts).toString() };
};

const open = (target: Target, options: Partial<SpoolOptions> = {}) => {
  const directory = temporaryDirectory();
  const spool = spooling(target, {
    directory,
    reserve: 0,
    waitMs: 0,
    mustNotWait: () => false,
    isStopped: () => false,
    ...options,
  });
  return { spool, directory };
};

describe("output that a slow reader has not read", () => {
  test("is spooled to a file without a name, and arrives complete and in order", async () => {
    const { target, go, ends, text } = slowReader();
    const { spool, directory } = open(target);
    // Characters of three bytes, so that chunks end inside some of them.
    const lines = Array.from({ length: 1200 }, (_, index) => `${index} ${"€".repeat(1000)}\n`);
    for (const line of lines) expect(await spool.write(line)).toBe(true);
    expect(readdirSync(directory)).toEqual([]);
    const finishing = spool.finish();
    expect(ends).toEqual([]);
    go(true);
    await finishing;
    expect(text()).toBe(lines.join(""));
    expect(ends).toEqual(["finished"]);
  });

  test("is dropped once the reader has gone or the export is stopped", async () => {
    for (const isStopped of [false, true]) {
      const { target, go, text } = slowReader();
      const { spool } = open(target, { isStopped: () => isStopped });
      for (const line of ["a", "b", "c"]) await spool.write(line);
      go(isStopped);
      await spool.finish();
      expect(text()).toBe("a");
    }
  });

  test("is refused where there is no room for it", async () => {
    const { target, go } = slowReader();
    const { spool } = open(target, { reserve: 2 ** 60 });
    await spool.write("a");
    expect(await outcomeOf(spool.write("b"))).toThrow("DATA_DIR has no room for the rest");
    go(true);
    await spool.abandon();
  });
});

test("a fast reader gets everything directly, unless the process is to be suspended", async () => {
  let mustNotWait = false;
  const { target, go, text } = slowReader();
  const { spool } = open(target, { waitMs: 60_000, mustNotWait: () => mustNotWait });
  go(true);
  await spool.write("a");
  expect(text()).toBe("a");
  mustNotWait = true;
  const stuck = slowReader();
  const { spool: hurried } = open(stuck.target, { waitMs: 60_000, mustNotWait: () => mustNotWait });
  await hurried.write("a");
  await hurried.write("b");
  stuck.go(true);
  await hurried.finish();
  expect(stuck.text()).toBe("ab");
});

test("an export whose reader stops reading releases its snapshot of the database, and is still of one moment", async () => {
  const path = join(temporaryDirectory(), "store.db");
  const database = openDatabase(path);
  atEnd(() => database.close());
  const add = (name: string) =>
    database.client.run("INSERT INTO pets (name, category_id, created_at) VALUES (?, 1, 0)", [name]);
  database.client.run("BEGIN");
  for (let at = 0; at < 3000; at++) add(`${at}`);
  database.client.run("COMMIT");
  const exporting = openDatabase(path, { migrating: "never" });
  atEnd(() => exporting.close());
  const { target, go, text } = slowReader();
  const { spool } = open(target);
  for (const part of exportParts(exporting, { format: "ndjson", status: undefined, isRaw: false })) {
    add("later");
    await spool.write(part.text);
  }
  expect(database.client.query("PRAGMA wal_checkpoint(TRUNCATE)").get()).toMatchObject({ busy: 0 });
  go(true);
  await spool.finish();
  expect(text().split("\n").length - 1).toBe(3000);
  expect(text()).not.toContain("later");
});
