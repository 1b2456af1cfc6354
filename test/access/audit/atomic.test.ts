import { expect, test } from "bun:test";
import { openProject } from "../../platform/domains/projects.ts";
import { type Store, addPet, faultOf } from "../../support/store.ts";

const ADOPTER = { name: "Ada Byron", email: "ada@example.org" };
const ADA = { ...ADOPTER, role: "staff" };

const actions = (store: Store): string[] =>
  store.database.client
    .query<{ action: string }, []>("SELECT action FROM audit_entries ORDER BY id")
    .all()
    .map(({ action }) => action);

/** The actions that `act` records. */
const recordedBy = async (store: Store, act: () => Promise<unknown>): Promise<string[]> => {
  const before = actions(store).length;
  await act();
  return actions(store).slice(before);
};

/** A store with an animal in an open order, a category in use, a second key that is revoked, and a project with a domain. */
const openBusyStore = async () => {
  const project = await openProject();
  const { store, add } = project;
  await store.call("POST", "/v1/categories", { json: { name: "Dogs" } });
  await addPet(store, { status: "available", categoryId: 1 });
  await store.call("POST", "/v1/store/orders", { json: { petId: 1, adopter: ADOPTER } });
  await store.createKey({ name: "second" });
  await store.call("DELETE", "/platform/keys/2");
  await add("docs.example.org");
  return project;
};

test.each<[what: string, method: string, path: string, json: unknown, expected: number]>([
  ["an animal that is not valid", "POST", "/v1/pets", { name: "" }, 400],
  ["a status that an open order holds", "PATCH", "/v1/pets/1", { status: "sold" }, 409],
  ["an animal that an open order holds", "DELETE", "/v1/pets/1", undefined, 409],
  ["an unknown animal", "DELETE", "/v1/pets/99", undefined, 404],
  ["a patch of an animal with its own values", "PATCH", "/v1/pets/1", { name: "Bella" }, 200],
  ["an empty patch", "PATCH", "/v1/pets/1", {}, 200],
  ["a category whose name is taken", "POST", "/v1/categories", { name: "dogs" }, 409],
  ["a category in use", "DELETE", "/v1/categories/1", undefined, 409],
  ["a category that keeps its name", "PATCH", "/v1/categories/1", { name: "Dogs" }, 200],
  ["a second order of an animal", "POST", "/v1/store/orders", { petId: 1, adopter: ADOPTER }, 409],
  ["a step that the order's status refuses", "POST", "/v1/store/orders/1/complete", {}, 409],
  ["a key that was revoked before", "DELETE", "/platform/keys/2", undefined, 204],
  ["the rotation of a revoked key", "POST", "/platform/keys/2/rotate", {}, 409],
  ["the last key that can manage keys", "DELETE", "/platform/keys/1", undefined, 409],
  ["a slug that is taken", "POST", "/platform/projects", { slug: "docs", name: "Docs" }, 409],
  ["a project that keeps its name", "PATCH", "/platform/projects/docs", { name: "docs" }, 200],
  ["an unknown project", "DELETE", "/platform/projects/nothing", undefined, 404],
  ["the served deploy, activated again", "POST", "/platform/projects/docs/deploys/1/activate", {}, 200],
  ["the served deploy, deleted", "DELETE", "/platform/projects/docs/deploys/1", undefined, 409],
  [
    "a domain that the project has",
    "POST",
    "/platform/projects/docs/domains",
    { hostname: "docs.example.org" },
    200,
  ],
  [
    "a check that finds nothing new",
    "POST",
    "/platform/projects/docs/domains/docs.example.org/verify",
    {},
    200,
  ],
  [
    "the primary domain, made primary",
    "PUT",
    "/platform/projects/docs/domains/docs.example.org/primary",
    {},
    200,
  ],
])("a request that changes nothing is not recorded: %s", async (_, method, path, json, expected) => {
  const { store } = await openBusyStore();
  const recorded = await recordedBy(store, async () => {
    const { status } = await store.call(method, path, json === undefined ? {} : { json });
    expect(status).toBe(expected);
  });
  expect(recorded).toEqual([]);
});

test("a deploy that is refused is not recorded", async () => {
  const { store, api } = await openProject();
  const recorded = await recordedBy(store, async () => {
    const headers = { "content-type": "application/gzip" };
    expect((await api("POST", "/deploys", { body: "not an archive", headers })).status).toBe(400);
  });
  expect(recorded).toEqual([]);
});

test("a change of an animal whose tag differs from If-Match is not recorded", async () => {
  const { store } = await openBusyStore();
  const recorded = await recordedBy(store, async () => {
    const call = { json: { name: "Luna" }, headers: { "if-match": '"other"' } };
    expect((await store.call("PATCH", "/v1/pets/1", call)).status).toBe(412);
  });
  expect(recorded).toEqual([]);
});

test("a request with an Idempotency-Key that is sent twice is recorded once", async () => {
  const { store } = await openProject();
  const call = { json: { name: "Bella", categoryId: 1 }, headers: { "idempotency-key": "one" } };
  const recorded = await recordedBy(store, async () => {
    for (const expected of [null, "true"]) {
      const response = await store.call("POST", "/v1/pets", call);
      expect([response.status, response.headers.get("idempotency-replayed")]).toEqual([201, expected]);
    }
  });
  expect(recorded).toEqual(["pet.added"]);
});

test.each<[what: string, method: string, path: string, json: unknown, table: string]>([
  ["a new animal", "POST", "/v1/pets", { name: "Luna", categoryId: 1 }, "pets"],
  ["a changed animal", "PATCH", "/v1/pets/1", { name: "Luna" }, "pets"],
  [
    "many changed animals",
    "POST",
    "/v1/pets/changes",
    { changes: [{ id: 1, change: { name: "Luna" } }] },
    "pets",
  ],
  ["a step of an order", "POST", "/v1/store/orders/1/approve", {}, "orders"],
  ["a renamed category", "PATCH", "/v1/categories/1", { name: "Hounds" }, "categories"],
  ["a new key", "POST", "/platform/keys", { name: "x", scopes: ["pets:read"] }, "keys"],
  ["a new person", "POST", "/platform/people", ADA, "people"],
  ["a changed project", "PATCH", "/platform/projects/docs", { plan: "free" }, "projects"],
  ["a new domain", "POST", "/platform/projects/docs/domains", { hostname: "a.example.org" }, "domains"],
])(
  "a write that cannot be recorded is refused, and nothing is stored: %s",
  async (_, method, path, json, table) => {
    const { store } = await openBusyStore();
    const { client } = store.database;
    const rows = () => client.query(`SELECT * FROM ${table} ORDER BY id`).all();
    const before = rows();
    client.run(
      "CREATE TRIGGER broken BEFORE INSERT ON audit_entries BEGIN SELECT RAISE(ABORT, 'broken'); END",
    );
    expect(await faultOf(await store.call(method, path, { json }))).toBe("500 internal_error");
    // The last use of keys is stored by itself.
    expect(rows()).toEqual(before);
  },
);

test("concurrent requests for one animal leave one entry of the one that succeeds", async () => {
  const { store } = await openProject();
  await addPet(store, { status: "available" });
  const place = () => store.call("POST", "/v1/store/orders", { json: { petId: 1, adopter: ADOPTER } });
  const recorded = await recordedBy(store, () => Promise.all([place(), place(), place()]));
  expect(recorded).toEqual(["order.placed"]);
});
