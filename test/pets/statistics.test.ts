import { expect, test } from "bun:test";
import { type PetCounts, petStatistics } from "../../src/pets/statistics.ts";
import type { DayCounts } from "../../src/pets/queries.ts";
import { type Store, addPet, openStore, temporaryDirectory, testClock } from "../support/store.ts";
import { openDatabase } from "../../src/db/open.ts";

const DAY = 86_400_000;

const statisticsOf = async (store: Store): Promise<PetCounts> => {
  const response = await store.call("GET", "/v1/statistics");
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

test("an added animal counts at once", async () => {
  const store = await openStore();
  for (let count = 1; count <= 3; count++) {
    await addPet(store, {});
    expect((await statisticsOf(store)).total).toBe(count);
  }
});

test("an animal that another process added counts at once", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const store = await openStore({ path });
  expect((await statisticsOf(store)).total).toBe(0);
  const other = openDatabase(path);
  other.client.run("INSERT INTO pets (name, category_id, created_at) VALUES ('Rex', 1, 0)");
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

test("changes and deletions show in the statistics within ten seconds", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const store = await openStore({ path });
  for (let at = 0; at < 3; at++) await addPet(store, { status: "available" });
  await statisticsOf(store);
  const other = openDatabase(path);
  other.client.run("UPDATE pets SET status = 'sold' WHERE id = 1");
  other.client.run("DELETE FROM pets WHERE id = 3");
  store.clock.advance(10_000);
  const { total, byStatus } = await statisticsOf(store);
  expect({ total, byStatus }).toEqual({ total: 2, byStatus: { ...NONE, available: 1, sold: 1 } });
  await other.close();
});

/** Animals with the ids 1 to `count`, counted in slices; `queries` has the id after which each slice starts. */
const countedAnimals = (count: number) => {
  const queries: number[] = [];
  const countByDay = ({ after, limit }: { after: number; limit: number }): DayCounts[] => {
    queries.push(after);
    const total = Math.min(limit, count - after);
    return total > 0 ? [{ day: 0, total, available: total, pending: 0, sold: 0, lastId: after + total }] : [];
  };
  return { queries, countByDay };
};

test("concurrent requests for statistics share one count, made in slices", async () => {
  const { queries, countByDay } = countedAnimals(25_000);
  const { read } = petStatistics({ countByDay, version: () => 1, clock: testClock() });
  const responses = await Promise.all([read(), read(), read()]);
  expect(responses.map(({ total }) => total)).toEqual([25_000, 25_000, 25_000]);
  expect(queries).toEqual([0, 10_000, 20_000]);
});

test("a count continues after the last animal, and starts again only after a write and ten seconds", async () => {
  const { queries, countByDay } = countedAnimals(5);
  const clock = testClock();
  let version = 1;
  const { read } = petStatistics({ countByDay, version: () => version, clock });
  const firstId = async () => {
    queries.length = 0;
    await read();
    return queries[0];
  };
  expect(await firstId()).toBe(0);
  clock.advance(60_000);
  expect(await firstId()).toBe(5);
  version++;
  expect(await firstId()).toBe(0);
  version++;
  clock.advance(9_999);
  expect(await firstId()).toBe(5);
  clock.advance(1);
  expect(await firstId()).toBe(0);
});

test("a failed count is repeated by the next request", async () => {
  const { countByDay } = countedAnimals(5);
  let isBroken = true;
  const { read } = petStatistics({
    countByDay(slice) {
      if (isBroken) throw new Error("disk");
      return countByDay(slice);
    },
    version: () => 1,
    clock: testClock(),
  });
  await expect(read()).rejects.toThrow("disk");
  await Bun.sleep(0);
  isBroken = false;
  expect((await read()).total).toBe(5);
});
