import { describe, expect, test } from "bun:test";
import {
  nextStatus,
  ORDER_STEPS,
  type OrderStatus,
  type OrderStep,
} from "../../../src/store/orders/order.ts";
import { addPet, faultOf, messageOf, openOnce, openStore } from "../../support/store.ts";
import { ADA, addAvailablePet, place, statusOf, take } from "./orders.ts";

const withOrder = async (order: Record<string, unknown> = {}) => {
  const store = await openStore();
  await addAvailablePet(store);
  expect((await place(store, 1, order)).status).toBe(201);
  return store;
};

/** For tests that change nothing. */
const empty = openOnce(openStore);
const placed = openOnce(withOrder);
const available = openOnce(async () => {
  const store = await openStore();
  await addAvailablePet(store);
  return store;
});

const PLACED = {
  id: 1,
  petId: 1,
  adopter: ADA,
  status: "placed",
  createdAt: "2026-11-20T00:00:00.000Z",
  updatedAt: "2026-11-20T00:00:00.000Z",
};

test("an adoption is placed, approved and completed, and the animal is pending, then sold", async () => {
  const store = await openStore();
  await addAvailablePet(store);
  const placed = await place(store, 1, { note: "Has a garden.\nAnd a cat." });
  expect([placed.status, placed.headers.get("location"), placed.headers.get("x-stability")]).toEqual([
    201,
    "/v1/store/orders/1",
    "beta",
  ]);
  const order = { ...PLACED, note: "Has a garden.\nAnd a cat." };
  expect(await placed.json()).toEqual(order);
  expect(await (await store.call("GET", "/v1/store/orders/1")).json()).toEqual(order);
  expect(await statusOf(store, 1)).toBe("pending");
  store.clock.advance(1000);
  const approved = { ...order, status: "approved", updatedAt: "2026-11-20T00:00:01.000Z" };
  expect(await (await take(store, "approve")).json()).toEqual(approved);
  expect(await statusOf(store, 1)).toBe("pending");
  store.clock.advance(1000);
  const completed = { ...order, status: "completed", updatedAt: "2026-11-20T00:00:02.000Z" };
  expect(await (await take(store, "complete")).json()).toEqual(completed);
  expect(await statusOf(store, 1)).toBe("sold");
  expect(await (await store.call("GET", "/v1/store/orders")).json()).toEqual([completed]);
});

test("a cancelled adoption makes the animal available, and another can be placed", async () => {
  const store = await withOrder();
  for (const id of [1, 2]) {
    if (id === 2) await take(store, "approve", 2);
    expect(await (await take(store, "cancel", id)).json()).toMatchObject({ status: "cancelled" });
    expect(await statusOf(store, 1)).toBe("available");
    expect(await (await place(store, 1)).json()).toMatchObject({ id: id + 1, status: "placed" });
  }
});

test.each(["pending", "sold", undefined])(
  "an order of an animal with the status %p is refused, and nothing is written",
  async (status) => {
    const store = await openStore();
    await addPet(store, status ? { status } : {});
    const response = await place(store, 1);
    expect(await messageOf(response.clone() as Response)).toBe(
      `The animal is not available for adoption: its status is ${status ?? "not set"}.`,
    );
    expect(await faultOf(response)).toBe("409 pet_not_available");
    expect(await statusOf(store, 1)).toBe(status ?? "none");
    expect(await (await store.call("GET", "/v1/store/orders")).json()).toEqual([]);
  },
);

test("an order of an animal that does not exist is refused, and nothing is written", async () => {
  const store = await withOrder();
  expect(await faultOf(await place(store, 2))).toBe("404 not_found");
  expect(await (await store.call("GET", "/v1/store/orders")).json()).toEqual([PLACED]);
});

test("a second order is refused while one is open, even if the animal was made available again, and nothing is written", async () => {
  const store = await withOrder();
  store.database.client.run("UPDATE pets SET status = 'available'");
  expect(await messageOf(await place(store, 1))).toBe(
    "The animal has an open order already: cancel it first.",
  );
  expect(await statusOf(store, 1)).toBe("available");
  expect(await (await store.call("GET", "/v1/store/orders")).json()).toHaveLength(1);
});

const WAYS: [OrderStatus, OrderStep[]][] = [
  ["placed", []],
  ["approved", ["approve"]],
  ["completed", ["approve", "complete"]],
  ["cancelled", ["cancel"]],
  ["returned", ["approve", "complete", "return"]],
];
const OF_PET: Record<OrderStatus, string> = {
  placed: "pending",
  approved: "pending",
  completed: "sold",
  cancelled: "available",
  returned: "available",
};

describe.each(WAYS)("an order that is %s", (status, way) => {
  test.each(ORDER_STEPS)("the step %s succeeds or is refused by the table of statuses", async (step) => {
    const store = await withOrder();
    for (const before of way) expect((await take(store, before)).status).toBe(200);
    const before = await (await store.call("GET", "/v1/store/orders/1")).json();
    store.clock.advance(1000);
    const response = await take(store, step);
    const next = nextStatus(status, step);
    if (next) expect(await response.json()).toMatchObject({ status: next });
    else {
      expect(await messageOf(response.clone() as Response)).toStartWith(`The order is ${status}: `);
      expect(await faultOf(response)).toBe("409 order_status_conflict");
      expect(await (await store.call("GET", "/v1/store/orders/1")).json()).toEqual(before);
    }
    expect(await statusOf(store, 1)).toBe(OF_PET[next ?? status]);
  });
});

test("a refused step does not change an animal that another order holds by now", async () => {
  const store = await withOrder();
  await take(store, "cancel");
  await place(store, 1);
  for (const step of ORDER_STEPS) expect((await take(store, step, 1)).status).toBe(409);
  expect(await statusOf(store, 1)).toBe("pending");
});

test("cancelling keeps a status that the animal was given in the meantime, and completing makes it sold", async () => {
  const store = await withOrder();
  store.database.client.run("UPDATE pets SET status = NULL");
  await take(store, "cancel");
  expect(await statusOf(store, 1)).toBe("none");
  await store.call("PATCH", "/v1/pets/1", { json: { status: "available" } });
  await place(store, 1);
  await take(store, "approve", 2);
  store.database.client.run("UPDATE pets SET status = NULL");
  await take(store, "complete", 2);
  expect(await statusOf(store, 1)).toBe("sold");
});

test.each(["0", "7", "x", "1.0", "9223372036854775807"])("the id %p of no order gets 404", async (id) => {
  const store = placed();
  expect(await faultOf(await store.call("GET", `/v1/store/orders/${id}`))).toBe("404 not_found");
  for (const step of ORDER_STEPS) expect(await faultOf(await take(store, step, id))).toBe("404 not_found");
});

test.each([
  ["petId", { petId: 0 }],
  ["petId", { petId: "1" }],
  ["petId", { petId: 1.5 }],
  ["adopter", { adopter: undefined }],
  ["adopter.name", { adopter: { ...ADA, name: " " } }],
  ["adopter.name", { adopter: { ...ADA, name: "a\nb" } }],
  ["adopter.name", { adopter: { ...ADA, name: "\u202eadA" } }],
  ["adopter.age", { adopter: { ...ADA, age: 7 } }],
  ["adopter.email", { adopter: { name: "Ada" } }],
  ...[
    "",
    "ada",
    "@",
    "ada@",
    "@example.org",
    "a@b@c",
    "a b@c",
    "a\u00a0b@c",
    "a\u0000@c",
    "a@\ud800",
    "a\u202e@c",
    "a@c\u200b",
  ].map((email) => ["adopter.email", { adopter: { ...ADA, email } }] as const),
  ["adopter.email", { adopter: { ...ADA, email: `${"a".repeat(243)}@example.org` } }],
  ["note", { note: "" }],
  ["note", { note: null }],
  ["note", { note: "a".repeat(2001) }],
  ["note", { note: "a\u0000" }],
  ["note", { note: "a\n\u2066b" }],
  ["note", { note: "a\u{E0041}" }],
  ["colour", { colour: "red" }],
] as const)("a wrong %s is refused by name: %j", async (field, order) => {
  const store = available();
  const response = await place(store, 1, order);
  expect(response.status).toBe(400);
  expect(await messageOf(response)).toStartWith(`${field}: `);
  expect(await statusOf(store, 1)).toBe("available");
});

test("the longest name, address and note are stored unchanged", async () => {
  const store = await openStore();
  await addAvailablePet(store);
  const order = {
    adopter: { name: "\u{1f600}".repeat(200), email: `${"a".repeat(242)}@example.org` },
    note: "\u{1f600}".repeat(2000),
  };
  expect(await (await place(store, 1, order)).json()).toMatchObject(order);
});

test("orders are listed in pages by status and animal, and a cursor is accepted with its own filters only", async () => {
  const store = await openStore();
  for (let at = 1; at <= 3; at++) {
    await addAvailablePet(store);
    await place(store, at);
  }
  await take(store, "cancel", 1);
  await place(store, 1);
  const ids = async (query: string) =>
    ((await (await store.call("GET", `/v1/store/orders${query}`)).json()) as { id: number }[]).map(
      ({ id }) => id,
    );
  expect(await ids("")).toEqual([1, 2, 3, 4]);
  expect(await ids("?status=placed")).toEqual([2, 3, 4]);
  expect(await ids("?petId=1")).toEqual([1, 4]);
  expect(await ids("?petId=1&status=cancelled")).toEqual([1]);
  expect(await ids("?petId=9")).toEqual([]);
  const first = await store.call("GET", "/v1/store/orders?status=placed&limit=2");
  const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
  expect(next).toMatch(/^\/v1\/store\/orders\?limit=2&status=placed&cursor=[\w-]+$/);
  expect(await ids(next.slice("/v1/store/orders".length))).toEqual([4]);
  const cursor = new URL(next, "http://localhost").searchParams.get("cursor");
  for (const query of ["", "&status=cancelled", "&status=placed&petId=1"])
    expect(await faultOf(await store.call("GET", `/v1/store/orders?cursor=${cursor}${query}`))).toBe(
      "400 invalid_cursor",
    );
});

test.each(["status=open", "petId=x", "petId=0", "petId=01", "petId=9007199254740992", "limit=0"])(
  "the filter %s is refused",
  async (query) => {
    expect((await empty().call("GET", `/v1/store/orders?${query}`)).status).toBe(400);
  },
);
