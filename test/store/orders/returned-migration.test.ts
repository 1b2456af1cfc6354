import { Database as Client } from "bun:sqlite";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { migrate } from "../../../src/data/db/migrate.ts";
import { migrations } from "../../../src/data/db/migrations.ts";
import { type PetEvent, petEventRepository } from "../../../src/store/pets/events/repository.ts";
import { openStore, temporaryDirectory } from "../../support/store.ts";
import { place, statusOf, take } from "./orders.ts";

const BEFORE = migrations.findIndex(({ tag }) => tag.endsWith("_animal_profiles"));

const ORDERS = [
  [3, 1, "Grace Hopper", "grace@example.org", "Has a garden.", "completed", 5, 9],
  [4, 2, "Łucja Nowak", "lucja@example.org", null, "approved", 6, 6],
  [8, 99, null, null, null, "cancelled", 7, 8],
] as const;

/** The triggers that write orders or their words. */
const triggersIn = (client: Client) =>
  client
    .query(
      "SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%orders%' ORDER BY name",
    )
    .all();

/** A database of the version before, with three orders. The newest order was deleted. */
const writeEarlier = (path: string) => {
  using client = new Client(path);
  client.run("PRAGMA foreign_keys = ON");
  migrate(client, migrations.slice(0, BEFORE));
  client.run(
    "INSERT INTO pets (id, name, category_id, status, created_at) VALUES (1, 'Milo', 1, 'sold', 1), (2, 'Żubr', 1, 'pending', 2)",
  );
  // As the end of a transaction does.
  client.run("UPDATE pets_indexed SET counted_to = 2");
  const insert = client.query(
    "INSERT INTO orders (id, pet_id, adopter_name, adopter_email, note, status, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  );
  for (const order of ORDERS) insert.run(...order);
  client.run(
    "INSERT INTO orders (id, pet_id, status, created_at, updated_at) VALUES (20, 1, 'cancelled', 1, 1)",
  );
  client.run("DELETE FROM orders WHERE id = 20");
  return triggersIn(client);
};

const openUpgraded = async () => {
  const path = join(temporaryDirectory(), "store.db");
  const triggers = writeEarlier(path);
  return { triggers, store: await openStore({ embedded: "upgrade", path }) };
};

test("the upgrade keeps every order, with its id and times, and its triggers", async () => {
  const { triggers, store } = await openUpgraded();
  const { client } = store.database;
  expect(
    client
      .query(
        "SELECT id, pet_id, adopter_name, adopter_email, note, status, created_at, updated_at FROM orders ORDER BY id",
      )
      .values(),
  ).toEqual(ORDERS.map((order) => [...order]));
  expect(triggersIn(client)).toEqual(triggers);
  expect(triggers.length).toBeGreaterThan(6);
});

test("the upgrade never uses the id of a deleted order again, and keeps one open order of an animal", async () => {
  const { store } = await openUpgraded();
  await store.call("PATCH", "/v1/pets/1", { json: { status: "available" } });
  expect(await (await place(store, 1)).json()).toMatchObject({ id: 21 });
  store.database.client.run("UPDATE pets SET status = 'available' WHERE id = 2");
  expect((await place(store, 2)).status).toBe(409);
});

test("orders are found by adopter and animal after the upgrade, and follow a rename and a deletion", async () => {
  const { store } = await openUpgraded();
  const found = async (q: string) =>
    ((await (await store.call("GET", `/v1/store/orders?q=${q}`)).json()) as { id: number }[]).map(
      ({ id }) => id,
    );
  expect(await found("hopper")).toEqual([3]);
  expect(await found("lucja")).toEqual([4]);
  expect(await found("milo")).toEqual([3]);
  expect(await found("zubr")).toEqual([4]);
  await store.call("PATCH", "/v1/pets/1", { json: { name: "Otis" } });
  expect([await found("milo"), await found("otis")]).toEqual([[], [3]]);
  await store.call("DELETE", "/v1/pets/1");
  expect([await found("otis"), await found("hopper")]).toEqual([[], [3]]);
});

test("an order that was completed before the upgrade can be returned", async () => {
  const { store } = await openUpgraded();
  expect(await (await take(store, "return", 3)).json()).toMatchObject({ id: 3, status: "returned" });
  expect(await statusOf(store, 1)).toBe("available");
});

test("events from before the upgrade have the animal as it is now; those of a deleted animal read as its deletion", async () => {
  const { store } = await openUpgraded();
  const events = petEventRepository(store.database);
  const milo = { id: 1, name: "Milo", categoryId: 1n, status: "sold" };
  const expected = { id: 1, kind: "added", petId: 1, part: null, pet: milo };
  expect(events.listAfter(0, 1)).toEqual([expected as PetEvent]);
  await store.call("DELETE", "/v1/pets/1");
  expect(events.listAfter(0, 10)).toMatchObject([
    { id: 1, kind: "deleted", petId: 1 },
    { id: 2, kind: "added", petId: 2 },
    { id: 3, kind: "deleted", petId: 1 },
  ]);
});
