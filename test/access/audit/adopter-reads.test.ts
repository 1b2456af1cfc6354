import { expect, test } from "bun:test";
import { adopterReads } from "../../../src/access/audit/adopter-reads.ts";
import { adopterRepository } from "../../../src/store/orders/erasure.ts";
import type { AuditEntry } from "../../../src/data/db/audit.ts";
import type { Act } from "../../../src/lib/actor.ts";
import { OPERATOR } from "../../../src/lib/actor.ts";
import { signedIn } from "../people/visitor.ts";
import { type Store, addPet, openStore, testClock } from "../../support/store.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const ADOPTERS = ["ada@example.org", "bo@example.org", "cy@example.org"];

/** A store with three adoptions. */
const openWithOrders = async (): Promise<Store> => {
  const store = await openStore();
  for (const email of ADOPTERS) {
    const { id } = await addPet(store, { status: "available" });
    const json = { petId: id, adopter: { name: "Ada Byron", email } };
    await store.call("POST", "/v1/store/orders", { json });
  }
  return store;
};

/** The recorded reads, newest first: the name of the reader, and how many adoptions with adopters they read. */
const readsIn = async (store: Store): Promise<(string | undefined)[][]> => {
  await store.adopterReads.flush();
  const response = await store.call("GET", "/platform/audit?action=adopter.read");
  const entries = (await response.json()) as {
    actor: { kind: string; name?: string };
    resource: object;
    changes: { field: string; to: string }[];
  }[];
  return entries.map(({ actor, resource, changes }) => {
    expect(resource).toEqual({ kind: "adopter", id: "orders" });
    return [actor.name ?? actor.kind, ...changes.map(({ field, to }) => `${field}: ${to}`)];
  });
};

test("reads of adopters' data leave one entry for each reader, with the number of adoptions", async () => {
  const store = await openWithOrders();
  const key = await store.createKey({ name: "website", scopes: ["orders:read"] });
  const grace = await signedIn(store, { name: "Grace Hopper" });
  await store.call("GET", "/v1/store/orders", { key });
  for (let read = 0; read < 5; read++) await store.call("GET", "/v1/store/orders/1", { key });
  await store.call("GET", "/v1/store/orders?limit=1&q=bo", { key });
  await grace.send("GET", "/console/api/v1/store/orders/2");
  expect(await readsIn(store)).toEqual([
    ["Grace Hopper", "rows: 1"],
    ["website", "rows: 9"],
  ]);
});

test("reads of adopters' data include the responses to steps of adoptions", async () => {
  const store = await openWithOrders();
  const key = await store.createKey({ name: "desk", scopes: ["orders:read", "orders:write"] });
  const writer = await store.createKey({ name: "writer", scopes: ["orders:write"] });
  await store.call("POST", "/v1/store/orders/1/approve", { key });
  await store.call("POST", "/v1/store/orders/2/approve", { key: writer });
  expect(await readsIn(store)).toEqual([["desk", "rows: 1"]]);
});

test("a reader of adopters' data who continues leaves one entry an hour", async () => {
  const store = await openWithOrders();
  for (let minute = 0; minute < 120; minute++) {
    await store.call("GET", "/v1/store/orders/1");
    await store.adopterReads.flush();
    store.clock.advance(MINUTE);
  }
  expect(await readsIn(store)).toEqual([
    ["all", "rows: 59"],
    ["all", "rows: 60"],
    ["all", "rows: 1"],
  ]);
});

test("a read of adopters' data after an hour without reads leaves a new entry", async () => {
  const store = await openWithOrders();
  await store.call("GET", "/v1/store/orders/1");
  expect(await readsIn(store)).toHaveLength(1);
  store.clock.advance(HOUR);
  expect(await readsIn(store)).toHaveLength(1);
  await store.call("GET", "/v1/store/orders/1");
  expect(await readsIn(store)).toHaveLength(2);
});

test("a response without an adopter leaves no entry", async () => {
  const store = await openWithOrders();
  const writer = await store.createKey({ scopes: ["orders:write"] });
  const adopters = adopterRepository(store.database);
  await adopters.forget(ADOPTERS[2]!, true, { actor: OPERATOR, now: store.clock.now() });
  await store.call("POST", "/v1/store/orders/1/approve", { key: writer, json: {} });
  for (const [method, path, key] of [
    ["GET", "/v1/store/orders", writer],
    ["GET", "/v1/store/orders/1", writer],
    ["GET", "/v1/store/orders/3", undefined],
    ["GET", "/v1/store/orders/999", undefined],
    ["GET", "/v1/store/orders?q=nobody", undefined],
    ["GET", "/v1/store/statistics", undefined],
    ["GET", "/v1/store/orders/1/history", undefined],
    ["HEAD", "/v1/store/orders", undefined],
  ] as const)
    await store.call(method, path, key === undefined ? {} : { key });
  expect(await readsIn(store)).toEqual([]);
});

test("reads of adopters' data commit nothing by themselves", async () => {
  const store = await openWithOrders();
  const count = () => store.database.client.query("SELECT count(*) FROM audit_entries").values();
  const before = count();
  await store.call("GET", "/v1/store/orders");
  expect(count()).toEqual(before);
});

const open = () => {
  const clock = testClock();
  const entries: [Act, AuditEntry][] = [];
  const failure: { now?: Error } = {};
  const reads = adopterReads({
    clock,
    async add(...entry) {
      if (failure.now) throw failure.now;
      entries.push(entry);
    },
  });
  const stored = () =>
    entries.map(([{ actor }, { changes }]) => ["name" in actor && actor.name, changes?.[0]?.[2]]);
  return { clock, reads, stored, failure };
};
const reader = (id: number) => ({ kind: "key", id, name: `key ${id}` }) as const;

test("the record of readers is stored when the server stops", async () => {
  const { reads, stored } = open();
  reads.record(reader(1), 2);
  await reads.flush();
  reads.record(reader(1), 3);
  await reads.flush();
  expect(stored()).toEqual([["key 1", "2"]]);
  await reads.flush({ isLast: true });
  expect(stored()).toEqual([
    ["key 1", "2"],
    ["key 1", "3"],
  ]);
});

test("the record of readers is stored within the hour once it has 100 rows, and at least as many as the hour's earlier entries together", async () => {
  const { clock, reads, stored } = open();
  for (const rows of [1, 99, 1, 100, 1, 201, 1]) {
    reads.record(reader(1), rows);
    await reads.flush();
    clock.advance(10 * SECOND);
  }
  expect(stored().map(([, rows]) => rows)).toEqual(["1", "100", "101", "202"]);
  clock.advance(HOUR);
  reads.record(reader(1), 7);
  await reads.flush();
  reads.record(reader(1), 99);
  await reads.flush();
  expect(stored().map(([, rows]) => rows)).toEqual(["1", "100", "101", "202", "7"]);
});

test("the record of readers always stores at least half of a fast reader's rows, in a few entries an hour", async () => {
  const { clock, reads, stored } = open();
  const storedRows = () => stored().reduce((sum, [, rows]) => sum + Number(rows), 0);
  for (let read = 1; read <= 360; read++) {
    reads.record(reader(1), 100);
    await reads.flush();
    clock.advance(10 * SECOND);
    expect(storedRows()).toBeGreaterThanOrEqual((read * 100) / 2);
  }
  expect(stored()).toHaveLength(9);
});

test("the record of readers remains for the next flush if it cannot be stored", async () => {
  const { reads, stored, failure } = open();
  reads.record(reader(1), 2);
  failure.now = new Error("the disk is full");
  expect(await reads.flush().catch((error: unknown) => error)).toBe(failure.now);
  delete failure.now;
  reads.record(reader(1), 3);
  await reads.flush();
  expect(stored()).toEqual([["key 1", "5"]]);
});

test("the record of readers forgets the times of entries after more than 1,000 readers, and loses no read", async () => {
  const { reads, stored } = open();
  for (let id = 1; id <= 1001; id++) reads.record(reader(id), 1);
  await reads.flush();
  expect(stored()).toHaveLength(1001);
  reads.record(reader(1), 7);
  await reads.flush();
  expect(stored().slice(1001)).toEqual([["key 1", "7"]]);
});
