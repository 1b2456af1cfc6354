import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "../../../src/data/db/migrate.ts";
import { migrations } from "../../../src/data/db/migrations.ts";
import { NO_LOG } from "../../../src/data/recovery/log.ts";
import { longestAscending } from "../../../src/data/recovery/page.ts";
import { salvage } from "../../../src/data/recovery/salvage.ts";
import { treesOf } from "../../../src/data/recovery/trees.ts";
import { seeded } from "../../support/random.ts";
import { openOnce, temporaryDirectory } from "../../support/store.ts";
import {
  DAMAGES,
  PAGE,
  damagedCopy,
  faultsOf,
  flipBit,
  rootOf,
  soundStore,
  soundStoreWithLog,
  tryDamage,
  zeroPage,
} from "./damage.ts";

const store = openOnce(async () => soundStore(150, seeded(1)));
const storeWithLog = openOnce(async () => soundStoreWithLog(150, seeded(2)));

const target = () => join(temporaryDirectory(), "saved.db");

test("a salvage of a sound store saves every row, names no loss and leaves the file as it was", () => {
  const { path, rows } = store();
  const before = readFileSync(path);
  const { faults, report } = faultsOf(path, rows, () => false);
  expect(faults).toEqual([]);
  expect(report.tables.filter(({ missing, refused }) => missing.length + refused.length > 0)).toEqual([]);
  expect(report).toMatchObject({ isFreeListWhole: true, lostFrames: 0, openFrames: 0, isReplica: false });
  expect(readFileSync(path).equals(before)).toBe(true);
});

test.each(Object.keys(DAMAGES))("after %s, every row is saved unaltered or named as missing", (kind) => {
  const random = seeded(7);
  for (let time = 0; time < 2; time++) expect(tryDamage(kind, store(), storeWithLog(), random)).toEqual([]);
});

test("a damaged end of the log is reported, because it may be acknowledged", () => {
  const { path } = storeWithLog();
  const damaged = damagedCopy(path, (bytes) => flipBit(bytes.length * 8 - 1)(bytes), "-wal");
  expect(salvage(damaged, target())).toMatchObject({ lostFrames: 1 });
});

test.each(["pets", "pets_by_status", "sqlite_schema"])(
  "without the root page of %s, every row is saved",
  (name) => {
    const { path, rows } = store();
    const { faults } = faultsOf(damagedCopy(path, zeroPage(rootOf(path, name))), rows, () => false);
    expect(faults).toEqual([]);
  },
);

test("a wrong page size in a header is not believed", () => {
  const { path, rows } = store();
  const damaged = damagedCopy(path, (bytes) => void bytes.writeUInt16BE(512, 16));
  expect(faultsOf(damaged, rows, () => false).faults).toEqual([]);
  const log = storeWithLog();
  const withLog = damagedCopy(log.path, (bytes) => void bytes.writeUInt32BE(512, 8), "-wal");
  expect(faultsOf(withLog, log.rows, () => false).faults).toEqual([]);
});

test("search words, names and counts of a salvaged store are those of its rows", () => {
  const saved = target();
  salvage(damagedCopy(store().path, zeroPage(rootOf(store().path, "pet_names"))), saved);
  using client = new Database(saved);
  const numbers = client
    .query(
      `SELECT (SELECT count(*) FROM pets) AS animals, (SELECT count(*) FROM pet_names) AS names,
      (SELECT count(*) FROM pets_words WHERE pets_words MATCH 'amelie') AS words, (SELECT count(*) FROM orders) AS orders,
      (SELECT count(*) FROM orders_words WHERE orders_words MATCH 'zoe') AS orderWords,
      (SELECT sum(available + pending + sold + none) FROM pet_counts_by_category) AS byCategory,
      (SELECT sum(available + pending + sold + none) FROM pet_counts_by_day) AS byDay`,
    )
    .get();
  const animals = 141;
  expect(numbers).toEqual({
    animals,
    names: animals,
    words: animals,
    orders: 30,
    orderWords: 30,
    byCategory: animals,
    byDay: animals,
  });
});

test("a store of an earlier version is salvaged and brought up to date", () => {
  const path = target();
  {
    using client = new Database(path);
    migrate(client, migrations.slice(0, 1));
    client.run("INSERT INTO pets (name, category_id, created_at) VALUES ('Bella', 1, 5)");
    client.run("INSERT INTO keys (name, scopes, created_at) VALUES ('old', '*', 6)");
  }
  const saved = target();
  salvage(path, saved);
  using client = new Database(saved);
  expect(client.query("SELECT name, revision FROM pets").get()).toEqual({ name: "Bella", revision: 0 });
  expect(client.query("SELECT name FROM keys").get()).toEqual({ name: "old" });
  expect(client.query("SELECT count(*) AS count FROM migrations").get()).toEqual({
    count: migrations.length,
  });
});

/** Inverts a bit of the id of a row whose id and length each take one or two bytes. */
const flipId = ({ path, places }: ReturnType<typeof store>, row: string, bit: number) =>
  damagedCopy(path, (bytes) => {
    const { page, start } = places.get(row) ?? { page: 0, start: 0 };
    const at = (page - 1) * PAGE + start;
    const id = at + ((bytes[at] ?? 0) < 0x80 ? 1 : 2);
    bytes[id] = (bytes[id] ?? 0) ^ bit;
  });

test("a row with a damaged id is reported with its id, and with the id that every index has", () => {
  const report = salvage(flipId(store(), "orders 30", 0x20), target());
  expect(report.tables.find(({ table }) => table === "orders")).toMatchObject({
    saved: 30,
    missing: [{ from: 30, to: 30 }],
    refused: [{ id: 62, reason: "no index has this id, which may be damaged; the row was saved" }],
  });
});

test("a damaged id in one of several indexes is no loss", () => {
  const { path } = store();
  const damaged = damagedCopy(path, (bytes) => {
    // The entry of order 30: the number of its animal, 513, and its id.
    const entry = bytes.indexOf(Buffer.from([2, 1, 30]), (rootOf(path, "orders_by_pet") - 1) * PAGE);
    bytes[entry + 2] = 62;
  });
  const report = salvage(damaged, target());
  expect(report.tables.find(({ table }) => table === "orders")).toMatchObject({ missing: [], refused: [] });
});

test("a row without its parent is refused if it needs one, and else saved without the reference", () => {
  const { path } = store();
  const saved = target();
  const report = salvage(damagedCopy(path, zeroPage(rootOf(path, "keys"))), saved);
  const of = (table: string) => report.tables.find((one) => one.table === table);
  expect(of("keys")).toMatchObject({ saved: 0, missing: [{ from: 1, to: 30 }] });
  expect(of("secrets")?.refused).toHaveLength(30);
  expect(of("secrets")).toMatchObject({
    saved: 0,
    refused: expect.arrayContaining([{ id: 1, reason: "its row in keys is lost" }]),
  });
});

test("an id of a lost row is not given again", () => {
  const { path } = store();
  const saved = target();
  salvage(damagedCopy(path, zeroPage(rootOf(path, "categories"))), saved);
  using client = new Database(saved);
  client.run("INSERT INTO categories (name, folded) VALUES ('new', 'new')");
  expect(client.query("SELECT max(id) AS id FROM categories").get()).toEqual({ id: 31 });
});

test("bytes that are no database end in an empty store or an error, and soon", () => {
  const random = seeded(3);
  for (const size of [0, 1, 100, 4096, 40_960]) {
    const path = target();
    writeFileSync(path, Buffer.from(Array.from({ length: size }, () => random(256))));
    writeFileSync(`${path}-wal`, Buffer.from(Array.from({ length: size }, () => random(256))));
    const report = salvage(path, target());
    expect(report.tables.reduce((sum, { saved }) => sum + saved, 0)).toBe(0);
  }
});

/** Leaves, all of whose cells have the same overflow chain of all other pages. */
const chained = (leaves: number, count: number) => {
  const leaf = Buffer.alloc(PAGE);
  leaf.set([0x0d, 0, 0, 0, 7, 0, 100]);
  const length = 500 + (count - leaves) * (PAGE - 4);
  for (let cell = 0; cell < 7; cell++) {
    const at = 100 + cell * 520;
    leaf.writeUInt16BE(at, 8 + cell * 2);
    leaf.set([21, 14, 7].map((bits) => 0x80 | ((length >> bits) & 0x7f)).concat(length & 0x7f, cell + 1), at);
    leaf.writeUInt32BE(leaves + 1, at + 5 + 500);
  }
  let reads = 0;
  const read = (page: number) => {
    reads++;
    if (page <= leaves) return leaf;
    const bytes = Buffer.alloc(PAGE, 1);
    bytes.writeUInt32BE(page < count ? page + 1 : 0);
    return bytes;
  };
  return { pages: { count, log: NO_LOG, read, [Symbol.dispose]() {} }, reads: () => reads };
};

test("chains that many cells share do not multiply the reads", () => {
  const { pages, reads } = chained(400, 600);
  const trees = treesOf(pages);
  for (let page = 1; page <= 400; page++) trees.walk(page, "table", () => true);
  expect(reads()).toBeGreaterThan(20_000);
  expect(reads()).toBeLessThan(600 * 51 + 400 * 3);
});

test("a chain that is longer than any row is not followed", () => {
  const { pages, reads } = chained(1, 1100);
  treesOf(pages).walk(1, "table", () => true);
  expect(reads()).toBeLessThan(1110);
});

test("an absurd last id of a table leaves ids for later rows", () => {
  const saved = target();
  const path = damagedCopy(store().path, () => {});
  {
    using client = new Database(path);
    client.run("UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'pets'");
  }
  salvage(path, saved);
  using client = new Database(saved);
  client.run("INSERT INTO pets (name, category_id, created_at) VALUES ('new', 1, 1)");
  expect(client.query("SELECT max(id) AS id FROM pets").get()).toEqual({ id: 151 });
});

test("the longest ascending subsequence leaves out the fewest numbers", () => {
  expect(longestAscending([])).toEqual([]);
  expect(longestAscending([1, 2, 900, 3, 4])).toEqual([0, 1, 3, 4]);
  expect(longestAscending([5, 5, 6])).toEqual([1, 2]);
});
