import { expect, test } from "bun:test";
import { OPERATOR } from "../../../src/lib/actor.ts";
import { adopterRepository } from "../../../src/store/orders/erasure.ts";
import { type Store, faultOf, messageOf, openOnce, openStore } from "../../support/store.ts";
import { ADA, REASON, addAvailablePet, place, statusOf, take } from "./orders.ts";

const complete = async (store: Store, petId: number, order: Record<string, unknown> = {}) => {
  const { id } = (await (await place(store, petId, order)).json()) as { id: number };
  await take(store, "approve", id);
  expect((await take(store, "complete", id)).status).toBe(200);
  return id;
};

const adopted = async () => {
  const store = await openStore();
  await complete(store, await addAvailablePet(store));
  return store;
};

/** For tests that change nothing. */
const shared = openOnce(adopted);

const returnAnimal = (store: Store, body: object, { id = 1, key = store.key, headers = {} } = {}) =>
  store.call("POST", `/v1/store/orders/${id}/return`, { key, headers, json: body });

const forget = (store: Store, email: string) =>
  adopterRepository(store.database).forget(email, false, { actor: OPERATOR, now: store.clock.now() });

test.each([
  ["available", undefined],
  ["available", "available"],
  ["pending", "pending"],
])("a returned animal is %s if the request says %p", async (status, animal) => {
  const store = await adopted();
  store.clock.advance(1000);
  const response = await returnAnimal(store, { reason: "Two dogs, no peace.", ...(animal && { animal }) });
  expect(response.status).toBe(200);
  const returned = {
    id: 1,
    petId: 1,
    adopter: ADA,
    returnReason: "Two dogs, no peace.",
    status: "returned",
    createdAt: "2026-11-20T00:00:00.000Z",
    updatedAt: "2026-11-20T00:00:01.000Z",
  };
  expect(await response.json()).toEqual(returned);
  expect(await (await store.call("GET", "/v1/store/orders?status=returned")).json()).toEqual([returned]);
  expect(await statusOf(store, 1)).toBe(status);
});

test("the homes of an animal are its orders: it can be adopted and returned again", async () => {
  const store = await adopted();
  await returnAnimal(store, { reason: "First." });
  await complete(store, 1);
  await returnAnimal(store, { reason: "Second.", animal: "pending" }, { id: 2 });
  expect(await (await store.call("GET", "/v1/store/orders?petId=1&sort=-id")).json()).toMatchObject([
    { id: 2, status: "returned", returnReason: "Second." },
    { id: 1, status: "returned", returnReason: "First." },
  ]);
  await store.call("PATCH", "/v1/pets/1", { json: { status: "available" } });
  expect((await place(store, 1)).status).toBe(201);
});

test("a return keeps a status that the animal was given in the meantime, also by a new order", async () => {
  const store = await adopted();
  await store.call("PATCH", "/v1/pets/1", { json: { status: "available" } });
  await place(store, 1);
  expect((await returnAnimal(store, { reason: REASON })).status).toBe(200);
  expect(await statusOf(store, 1)).toBe("pending");
});

test("a late return of an earlier adoption leaves the animal with its later adopter", async () => {
  const store = await adopted();
  await store.call("PATCH", "/v1/pets/1", { json: { status: "available" } });
  await complete(store, 1);
  expect((await returnAnimal(store, { reason: REASON })).status).toBe(200);
  expect(await statusOf(store, 1)).toBe("sold");
  expect((await returnAnimal(store, { reason: REASON }, { id: 2 })).status).toBe(200);
  expect(await statusOf(store, 1)).toBe("available");
});

test("the adoption of an animal that was deleted can be returned, and changes no other animal", async () => {
  const store = await adopted();
  await complete(store, await addAvailablePet(store));
  await store.call("DELETE", "/v1/pets/1");
  expect(await (await returnAnimal(store, { reason: REASON })).json()).toMatchObject({ status: "returned" });
  expect(await statusOf(store, 2)).toBe("sold");
});

test("a refused return names the possible steps, and changes neither order nor animal", async () => {
  const store = await adopted();
  await place(store, await addAvailablePet(store));
  const refused = await returnAnimal(store, { reason: REASON }, { id: 2 });
  expect(await messageOf(refused.clone() as Response)).toBe(
    "The order is placed: it can be approved or cancelled.",
  );
  expect(await faultOf(refused)).toBe("409 order_status_conflict");
  expect(await statusOf(store, 2)).toBe("pending");
  expect(await (await store.call("GET", "/v1/store/orders/2")).json()).not.toHaveProperty("returnReason");
});

test.each([
  ["reason", {}],
  ["reason", { reason: "" }],
  ["reason", { reason: null }],
  ["reason", { reason: "a\nb" }],
  ["reason", { reason: "a".repeat(1001) }],
  ["reason", { reason: "a\u202eb" }],
  ["animal", { reason: REASON, animal: "sold" }],
  ["animal", { reason: REASON, animal: null }],
  ["status", { reason: REASON, status: "available" }],
])("a return with a wrong %s is refused by name: %j", async (field, body) => {
  const response = await returnAnimal(shared(), body);
  expect(response.status).toBe(400);
  expect(await messageOf(response)).toStartWith(`${field}: `);
});

test("the longest reason is stored unchanged", async () => {
  const reason = "\u{1f600}".repeat(1000);
  expect(await (await returnAnimal(await adopted(), { reason })).json()).toMatchObject({
    returnReason: reason,
  });
});

test("only keys with orders:read see the reason, in the response and in its repetition", async () => {
  const store = await adopted();
  const key = await store.createKey({ scopes: ["orders:write"] });
  const reader = await store.createKey({ scopes: ["orders:read"] });
  expect((await returnAnimal(store, { reason: REASON }, { key: reader })).status).toBe(403);
  const headers = { "idempotency-key": "bella-is-back" };
  for (const replayed of [null, "true"]) {
    const response = await returnAnimal(store, { reason: REASON }, { key, headers });
    expect(response.headers.get("idempotency-replayed")).toBe(replayed);
    const order = (await response.json()) as object;
    expect(order).toMatchObject({ status: "returned" });
    expect(Object.keys(order)).toEqual(["id", "petId", "status", "createdAt", "updatedAt"]);
  }
  const read = await store.call("GET", "/v1/store/orders/1", { key: reader });
  expect(await read.json()).toMatchObject({ returnReason: REASON });
});

/** The texts of all rows, also those of the audit log and of stored responses. */
const everything = ({ database: { client } }: Store): string => {
  const tables = client
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all();
  return JSON.stringify(
    tables.map(({ name }) => client.query(`SELECT * FROM "${name}"`).all()),
    (_, value: unknown) => (typeof value === "bigint" ? String(value) : value),
  );
};

test("erasing the adopter erases the reason everywhere, and the audit log never has it", async () => {
  const store = await adopted();
  await returnAnimal(store, { reason: "Byron is allergic." }, { headers: { "idempotency-key": "once" } });
  expect(everything(store).match(/Byron is allergic/g)).toHaveLength(2);
  const audit = store.database.client.query("SELECT * FROM audit_entries").all();
  expect(JSON.stringify(audit)).toContain("order.returned");
  expect(JSON.stringify(audit)).not.toContain("allergic");
  expect(await forget(store, ADA.email)).toMatchObject({ orders: 1 });
  expect(everything(store)).not.toContain("allergic");
  const order = await (await store.call("GET", "/v1/store/orders/1")).json();
  expect(order).toMatchObject({ status: "returned" });
  expect(order).not.toHaveProperty("returnReason");
});

test("a return after the erasure stores no reason: no later erasure would find it", async () => {
  const store = await adopted();
  await forget(store, ADA.email);
  const order = await (await returnAnimal(store, { reason: "Byron is allergic." })).json();
  expect(order).toMatchObject({ status: "returned" });
  expect(order).not.toHaveProperty("returnReason");
  expect(everything(store)).not.toContain("allergic");
});
