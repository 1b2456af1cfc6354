import { expect, test } from "bun:test";
import fc from "fast-check";
import type { StatusCounts } from "../../../src/store/pets/count-queries.ts";
import { type PetCounts, petStatistics } from "../../../src/store/pets/statistics.ts";
import { openOwnDatabase } from "../../support/database.ts";
import {
  type Store,
  addPet,
  faultOf,
  openOnce,
  openStore,
  runInCommit,
  temporaryDirectory,
  testClock,
} from "../../support/store.ts";
import { type Database, openDatabase } from "../../../src/data/db/open.ts";
import { outcomeOf } from "../../support/outcome.ts";

const DAY = 86_400_000;

const statisticsOf = async (store: Store, query = ""): Promise<PetCounts> => {
  const response = await store.call("GET", `/v1/statistics?${query}`);
  expect(response.status).toBe(200);
  expect(response.headers.get("x-stability")).toBe("beta");
  return (await response.json()) as PetCounts;
};

const NONE = { available: 0, pending: 0, sold: 0, none: 0 };

test("statistics of an empty store are zero, on each of 30 days", async () => {
  const { total, byStatus, addedByDay } = await statisticsOf(await openStore());
  expect({ total, byStatus }).toEqual({ total: 0, byStatus: NONE });
  expect(addedByDay).toHaveLength(30);
  expect(addedByDay[0]).toEqual({ date: "2026-10-22", count: 0 });
  expect(addedByDay.at(-1)).toEqual({ date: "2026-11-20", count: 0 });
});

test("statistics count animals by status, and those without one", async () => {
  const store = await openStore();
  for (const status of ["available", "sold", undefined, "available", "pending"])
    await addPet(store, status ? { status } : {});
  expect(await statisticsOf(store)).toMatchObject({
    total: 5,
    byStatus: { available: 2, pending: 1, sold: 1, none: 1 },
  });
});

test("an added animal counts immediately", async () => {
  const store = await openStore();
  for (let count = 1; count <= 3; count++) {
    await addPet(store, {});
    expect((await statisticsOf(store)).total).toBe(count);
  }
});

test("an animal whose id was typed counts once, also in a category that is rarer than the word", async () => {
  const store = await openStore();
  for (let id = 1; id <= 40; id++)
    await addPet(store, id === 4 ? { name: "Luna", categoryId: 2 } : { name: "4ever", categoryId: 1 });
  expect((await statisticsOf(store, "q=4&categoryId=2")).byStatus).toEqual({ ...NONE, none: 1 });
  expect((await statisticsOf(store, "q=4")).byStatus).toEqual({ ...NONE, none: 40 });
});

test("an animal that another process added counts immediately", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const store = await openStore({ path });
  expect((await statisticsOf(store)).total).toBe(0);
  const other = await openOwnDatabase(path);
  await runInCommit(other, "INSERT INTO pets (name, category_id, created_at) VALUES ('Rex', 1, 0)");
  expect((await statisticsOf(store)).total).toBe(1);
  await other.close();
});

test("days start at midnight UTC, and pass while nothing is added", async () => {
  const store = await openStore({ clock: testClock(Date.UTC(2026, 10, 20, 23, 59, 59, 999)) });
  await addPet(store, {});
  store.clock.advance(1);
  await addPet(store, {});
  await addPet(store, {});
  expect((await statisticsOf(store)).addedByDay.slice(-2)).toEqual([
    { date: "2026-11-20", count: 1 },
    { date: "2026-11-21", count: 2 },
  ]);
  store.clock.advance(28 * DAY);
  expect((await statisticsOf(store)).addedByDay[0]).toEqual({ date: "2026-11-20", count: 1 });
  store.clock.advance(DAY);
  const { total, addedByDay } = await statisticsOf(store);
  expect(addedByDay[0]).toEqual({ date: "2026-11-21", count: 2 });
  expect(total).toBe(3);
});

test("a change and a deletion, by any process, count immediately", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const store = await openStore({ path });
  for (let at = 0; at < 3; at++) await addPet(store, { status: "available" });
  const counts = async () => {
    const { total, byStatus } = await statisticsOf(store);
    return { total, byStatus };
  };
  expect(await counts()).toEqual({ total: 3, byStatus: { ...NONE, available: 3 } });
  await store.call("PATCH", "/v1/pets/1", { json: { status: "sold" } });
  expect(await counts()).toEqual({ total: 3, byStatus: { ...NONE, available: 2, sold: 1 } });
  await store.call("PATCH", "/v1/pets/1", { json: { status: null } });
  await store.call("DELETE", "/v1/pets/2");
  expect(await counts()).toEqual({ total: 2, byStatus: { ...NONE, available: 1, none: 1 } });
  const other = await openOwnDatabase(path);
  other.client.run("UPDATE pets SET status = 'pending' WHERE id = 3");
  expect(await counts()).toEqual({ total: 2, byStatus: { ...NONE, pending: 1, none: 1 } });
  await other.close();
});

test("the days count the animals that are still there", async () => {
  const store = await openStore();
  for (let at = 0; at < 3; at++) await addPet(store, {});
  await store.call("DELETE", "/v1/pets/2");
  await store.call("PATCH", "/v1/pets/1", { json: { status: "sold" } });
  expect((await statisticsOf(store)).addedByDay.at(-1)).toEqual({ date: "2026-11-20", count: 2 });
});

const shelter = openOnce(async () => {
  const store = await openStore();
  const animals = [
    ["Łucja", 1, "available"],
    ["Lucy 6", 1, "sold"],
    ["Lucy", 2, undefined],
    ["Rex", 2, "pending"],
    ["Luca", -3, "sold"],
    ["Milo", 1, "pending"],
  ] as const;
  for (const [name, categoryId, status] of animals)
    await addPet(store, { name, categoryId, ...(status && { status }) });
  return store;
});

test.each([
  ["q=luc", { available: 1, pending: 0, sold: 2, none: 1 }],
  ["q=luc&categoryId=1", { available: 1, pending: 0, sold: 1, none: 0 }],
  ["q=6", { available: 0, pending: 1, sold: 1, none: 0 }],
  ["q=6&categoryId=2", NONE],
  ["q=%21", { available: 1, pending: 2, sold: 2, none: 1 }],
  ["q=nobody", NONE],
  ["categoryId=1", { available: 1, pending: 1, sold: 1, none: 0 }],
  ["categoryId=-3", { available: 0, pending: 0, sold: 1, none: 0 }],
  ["categoryId=9223372036854775807", NONE],
])("statistics with %s are %j, and the days count all animals", async (query, byStatus) => {
  const counts = await statisticsOf(shelter(), query);
  const { available, pending, sold, none } = byStatus;
  expect(counts).toMatchObject({ byStatus, total: available + pending + sold + none });
  expect(counts.addedByDay.at(-1)?.count).toBe(6);
});

test("statistics of some animals follow every acknowledged write", async () => {
  const store = await openStore();
  await addPet(store, { name: "Lucy", status: "available" });
  for (const [change, byStatus] of [
    [{ status: "sold" }, { ...NONE, sold: 1 }],
    [{ name: "Rex" }, NONE],
    [
      { name: "Łucja", status: null },
      { ...NONE, none: 1 },
    ],
  ] as const) {
    await statisticsOf(store, "q=luc");
    await store.call("PATCH", "/v1/pets/1", { json: change });
    expect((await statisticsOf(store, "q=luc")).byStatus).toEqual(byStatus);
  }
});

test("statistics of some animals are refused with an unknown parameter, and with one that is not valid", async () => {
  for (const query of ["status=sold", "categoryId=x", `q=${"a".repeat(101)}`])
    expect(await faultOf(await shelter().call("GET", `/v1/statistics?${query}`))).toBe("400 invalid_request");
});

/** Counts whose calls are recorded. */
const recordedCounts = (byStatus: () => Promise<StatusCounts>) => {
  let calls = 0;
  const counts = {
    byStatus() {
      calls++;
      return byStatus();
    },
    addedAfter: () => [],
    ofCategories: () => [],
  };
  return { counts, calls: () => calls };
};

test("requests between two writes share one count, and one after a write counts anew", async () => {
  let version = 1;
  const { counts, calls } = recordedCounts(async () => ({ ...NONE, sold: version }));
  const { read } = petStatistics({ counts, version: () => version, clock: testClock() });
  const before = [read({ q: "a" }), read({ q: "a" })];
  expect(calls()).toBe(1);
  version = 2;
  expect((await read({ q: "a" })).total).toBe(2);
  await Promise.all(before);
  expect(calls()).toBe(2);
  await read({ q: "a", categoryId: 1n });
  expect(calls()).toBe(3);
});

test("a failed count is repeated by the next request", async () => {
  let isBroken = true;
  const { counts } = recordedCounts(async () => {
    if (isBroken) throw new Error("disk");
    return { ...NONE, sold: 5 };
  });
  const { read } = petStatistics({ counts, version: () => 1, clock: testClock() });
  expect(await outcomeOf(read())).toThrow("disk");
  isBroken = false;
  expect((await read()).total).toBe(5);
});

type Write = (client: Database["client"]) => void;

const anyStatus = fc.constantFrom("available", "pending", "sold", null);
const anyCategory = fc.constantFrom(1, 2, -3);
/** Counted from the newest. */
const anyId = fc.integer({ min: 0, max: 8 });
const anyWrite: fc.Arbitrary<Write> = fc.oneof(
  fc.tuple(anyCategory, anyStatus, fc.integer({ min: 0, max: 3 })).map(
    ([category, status, day]): Write =>
      (client) =>
        client.run("INSERT INTO pets (name, category_id, status, created_at) VALUES ('Bella', ?, ?, ?)", [
          category,
          status,
          day * DAY,
        ]),
  ),
  fc.tuple(anyId, anyCategory, anyStatus).map(
    ([id, category, status]): Write =>
      (client) =>
        client.run(
          "UPDATE pets SET category_id = ?2, status = ?3 WHERE id = (SELECT max(id) FROM pets) - ?1",
          [id, category, status],
        ),
  ),
  fc.tuple(anyId, anyStatus).map(
    ([id, status]): Write =>
      (client) =>
        client.run("UPDATE pets SET status = ?2 WHERE id >= (SELECT max(id) FROM pets) - ?1", [id, status]),
  ),
  anyId.map(
    (id): Write =>
      (client) =>
        client.run("DELETE FROM pets WHERE id = (SELECT max(id) FROM pets) - ?", [id]),
  ),
);

test("the counts that triggers keep are those of the rows, regardless of the writes", async () => {
  const database = openDatabase(":memory:");
  const kept = (table: string, key: string) =>
    `SELECT ${key} AS k, available, pending, sold, none FROM ${table} WHERE available + pending + sold + none > 0 ORDER BY 1`;
  const counted = (key: string) =>
    `SELECT ${key} AS k, sum(status IS 'available') AS available, sum(status IS 'pending') AS pending, sum(status IS 'sold') AS sold, sum(status IS NULL) AS none FROM pets GROUP BY 1 ORDER BY 1`;
  await fc.assert(
    fc.asyncProperty(fc.array(anyWrite, { maxLength: 30 }), async (writes) => {
      database.client.run("DELETE FROM pets");
      for (const write of writes) write(database.client);
      await database.commit([]);
      const all = (sql: string) => database.client.query(sql).all();
      expect(all(kept("pet_counts_by_category", "category_id"))).toEqual(all(counted("category_id")));
      expect(all("SELECT count(*) AS n FROM pet_counts_by_category")).toEqual(
        all("SELECT count(DISTINCT category_id) AS n FROM pets"),
      );
      expect(all(kept("pet_counts_by_day", "day"))).toEqual(all(counted(`created_at / ${DAY}`)));
    }),
    { numRuns: 300 },
  );
  await database.close();
});

const categoriesOf = async (store: Store, path = "/v1/statistics/categories") => {
  const response = await store.call("GET", path);
  expect(response.status).toBe(200);
  return {
    items: (await response.json()) as { id: number; name: string; total: number; byStatus: StatusCounts }[],
    next: /<([^>]+)>/.exec(response.headers.get("link") ?? "")?.[1],
  };
};

test("statistics of categories have each category with a record, with animals and without, after every write", async () => {
  const store = await openStore();
  for (const name of ["Dogs", "Cats"]) await store.call("POST", "/v1/categories", { json: { name } });
  await addPet(store, { categoryId: 2, status: "sold" });
  await addPet(store, { categoryId: 2 });
  await addPet(store, { categoryId: 99 });
  expect((await categoriesOf(store)).items).toEqual([
    { id: 1, name: "Dogs", total: 0, byStatus: NONE },
    { id: 2, name: "Cats", total: 2, byStatus: { ...NONE, sold: 1, none: 1 } },
  ]);
  await store.call("PATCH", "/v1/pets/1", { json: { categoryId: 1 } });
  await store.call("DELETE", "/v1/pets/2");
  expect((await categoriesOf(store)).items.map(({ total }) => total)).toEqual([1, 0]);
});

test("statistics of categories come in pages", async () => {
  const store = await openStore();
  for (const name of ["a", "b", "c"]) await store.call("POST", "/v1/categories", { json: { name } });
  const first = await categoriesOf(store, "/v1/statistics/categories?limit=2");
  const second = await categoriesOf(store, first.next);
  expect([first, second].map(({ items }) => items.map(({ id }) => id))).toEqual([[1, 2], [3]]);
  expect(second.next).toBeUndefined();
});
