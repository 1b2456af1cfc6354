import { expect, test } from "bun:test";
import { Database as Client } from "bun:sqlite";
import { readFileSync, writeFileSync } from "node:fs";
import { databasePath } from "../../../src/data/data-dir/paths.ts";
import { openPeople } from "../../../src/access/people/service.ts";
import { OPERATOR } from "../../../src/lib/actor.ts";
import { repeatErasures } from "../../../src/operate/backups/undone.ts";
import { addPet, temporaryDirectory } from "../../support/store.ts";
import { NOW, backUp, change, closedStore, forget, includes, newStore, restoreTo } from "./stores.ts";

const ADA = { name: "Ada Lovelace", email: "Ada@example.org" };
const GRACE = { name: "Grace Hopper", email: "grace@example.org" };

/** A store with keys, people and orders, and a backup of it. */
const backedUp = async () => {
  const { dataDir, store, client } = await newStore();
  const { keys } = store;
  const create = async (name: string) => (await keys.create({ name, scopes: ["*"] }, OPERATOR)).key.id;
  const [revoked, rotated] = [await create("revoked later"), await create("rotated later")];
  await create("kept");
  const { people } = openPeople(store.context);
  const { person } = await people.add({ name: "Edith", email: "edith@example.org", role: "staff" }, OPERATOR);
  await people.add({ name: "Stays", email: "stays@example.org", role: "staff" }, OPERATOR);
  const order = async (adopter: object) => {
    const { id: petId } = await addPet(store, { name: "Bella", status: "available" });
    const response = await store.call("POST", "/v1/store/orders", { json: { petId, adopter } });
    expect(response.status).toBe(201);
  };
  for (const adopter of [ADA, ADA, GRACE]) await order(adopter);
  const { file } = await backUp(dataDir);
  return { dataDir, store, client, file, revoked, rotated, people, person };
};

const adoptersIn = (path: string) => {
  using client = new Client(path, { readonly: true });
  return client.query("SELECT adopter_email FROM orders ORDER BY id").values().flat();
};

test("a restore lists the keys and people whose access it gives back, and erases adopters again", async () => {
  const { dataDir, store, file, revoked, rotated, people, person } = await backedUp();
  await store.keys.revoke(revoked, OPERATOR, { force: true });
  await store.keys.rotate(rotated, 0, OPERATOR);
  await people.remove(person.id, OPERATOR);
  await forget(store.database, "ada@example.org");
  await store.database.close();
  const { undone } = await restoreTo(dataDir, file);
  expect(undone).toEqual({
    keys: [
      { id: revoked, name: "revoked later" },
      { id: rotated, name: "rotated later" },
    ],
    people: [{ id: person.id, name: "Edith" }],
    adopters: 1,
    orders: 2,
    cancelled: [1, 2],
    unerased: [],
  });
  const path = databasePath(dataDir);
  expect(adoptersIn(path)).toEqual([null, null, GRACE.email]);
  expect(includes(file, "Lovelace")).toBe(true);
  expect(includes(path, "Lovelace")).toBe(false);
  expect(readFileSync(path).toString("latin1").toLowerCase()).not.toContain("ada@example");
});

test("a restore without such changes erases nothing, and reports nothing", async () => {
  const { dataDir, store, file } = await backedUp();
  await store.database.close();
  const { undone } = await restoreTo(dataDir, file);
  expect(undone).toEqual({ keys: [], people: [], adopters: 0, orders: 0, cancelled: [], unerased: [] });
  expect(adoptersIn(databasePath(dataDir))).toEqual([ADA.email, ADA.email, GRACE.email]);
});

test("an order that only shares its id with an erased one keeps its adopter", async () => {
  const { dataDir, store, file } = await backedUp();
  await store.database.close();
  change(
    databasePath(dataDir),
    "UPDATE orders SET adopter_name = NULL, adopter_email = NULL, created_at = created_at + 1",
  );
  expect((await restoreTo(dataDir, file)).undone).toMatchObject({ adopters: 0 });
});

test("a restore reports why the changes that it undoes are unknown", async () => {
  const { file, dataDir, store } = await backedUp();
  await store.database.close();
  const empty = temporaryDirectory();
  expect((await restoreTo(empty, file)).undone).toBe("there is no previous database");
  expect((await restoreTo(await closedStore("Max"), file)).undone).toBe(
    "the previous database is another store",
  );
  writeFileSync(databasePath(dataDir), "no database ".repeat(1000));
  expect((await restoreTo(dataDir, file, NOW)).undone).toMatch(/^the previous database cannot be read \(/);
});

test("erasures that an older version's backup does not allow are listed by their orders", async () => {
  const { dataDir, store, file } = await backedUp();
  await forget(store.database, GRACE.email);
  await store.database.close();
  change(file, "DROP TABLE answers");
  const undone = await repeatErasures(databasePath(dataDir), file, forget);
  expect(undone).toMatchObject({ adopters: 0, unerased: [3] });
  expect(adoptersIn(file)).toEqual([ADA.email, ADA.email, GRACE.email]);
});
