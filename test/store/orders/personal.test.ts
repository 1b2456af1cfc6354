import { expect, test } from "bun:test";
import { ORDER_STEPS } from "../../../src/store/orders/order.ts";
import { openStore } from "../../support/store.ts";
import { ADA, addAvailablePet, place, take } from "./orders.ts";

const NOTE = "Lives in Marylebone.";
const PERSONAL = /Ada|Byron|example\.org|Marylebone/;

test("reading adopters needs orders:read, but the response to placing an order repeats its adopter", async () => {
  const store = await openStore();
  const reader = await store.createKey({ scopes: ["orders:read"] });
  const writer = await store.createKey({ scopes: ["orders:write"] });
  const both = await store.createKey({ scopes: ["orders:read", "orders:write"] });
  await addAvailablePet(store);
  const placed = await place(store, 1, { note: NOTE }, writer);
  expect(await placed.json()).toMatchObject({ adopter: ADA, note: NOTE });
  for (const path of ["/v1/store/orders", "/v1/store/orders/1"]) {
    expect((await store.call("GET", path, { key: writer })).status).toBe(403);
    expect(await (await store.call("GET", path, { key: reader })).text()).toContain(ADA.email);
  }
  expect((await place(store, 1, {}, reader)).status).toBe(403);
  for (const step of ORDER_STEPS) expect((await take(store, step, 1, reader)).status).toBe(403);
  const approved = await (await take(store, "approve", 1, writer)).text();
  expect(approved).toContain('"approved"');
  expect(approved).not.toMatch(PERSONAL);
  expect(await (await take(store, "cancel", 1, both)).json()).toMatchObject({ adopter: ADA, note: NOTE });
});

test("no adopter is logged, neither for a success nor for any fault", async () => {
  const store = await openStore();
  await addAvailablePet(store);
  const order = { note: NOTE };
  await place(store, 1, order);
  await place(store, 1, order);
  await place(store, 9, order);
  await place(store, 1, { ...order, adopter: { ...ADA, [ADA.email]: 1 } });
  await place(store, 1, { adopter: { name: ADA.name, email: `${ADA.email} ` } });
  await store.call("GET", `/v1/store/orders?${ADA.email}=1`);
  await store.call("GET", `/v1/store/orders/${ADA.email}`);
  for (const step of ORDER_STEPS) await take(store, step);
  // First a storage error, then a bug.
  store.database.writer.run("PRAGMA query_only=ON");
  expect((await place(store, 1, order)).status).toBe(503);
  store.database.writer.run("PRAGMA query_only=OFF");
  await addAvailablePet(store);
  store.database.client.run(
    "CREATE TRIGGER broken BEFORE INSERT ON orders BEGIN SELECT raise(abort, 'broken'); END",
  );
  expect((await place(store, 2, order)).status).toBe(500);
  store.database.client.run("UPDATE orders SET created_at = 9e15");
  expect((await store.call("GET", "/v1/store/orders")).status).toBe(500);
  store.database.client.run("ALTER TABLE orders RENAME TO adoptions");
  expect((await store.call("GET", "/v1/store/orders")).status).toBe(500);
  expect(store.log.filter(({ msg }) => msg === "internal_error")).toHaveLength(3);
  expect(JSON.stringify(store.log)).not.toMatch(PERSONAL);
});
