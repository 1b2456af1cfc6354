import { expect, test } from "bun:test";
import { type Store, addPet, faultOf, openStore } from "../../support/store.ts";

interface Result {
  id: number;
  pet?: Record<string, unknown>;
  etag?: string;
  error?: { code: string; message: string; status: number };
}

const change = (store: Store, changes: unknown, headers: Record<string, string> = {}) =>
  store.call("POST", "/v1/pets/changes", { json: { changes }, headers });

const resultsOf = async (response: Response): Promise<Result[]> => {
  expect(response.status).toBe(200);
  return (await response.json()) as Result[];
};

const shelter = async (count: number, fields: Record<string, unknown> = {}) => {
  const store = await openStore();
  for (let at = 1; at <= count; at++) await addPet(store, { name: `Animal ${at}`, ...fields });
  return store;
};

const tagOf = async (store: Store, id: number) =>
  (await store.call("GET", `/v1/pets/${id}`)).headers.get("etag") ?? "";

const bodyOf = async (store: Store, id: number) =>
  (await (await store.call("GET", `/v1/pets/${id}`)).json()) as Record<string, unknown>;

test("POST /v1/pets/changes changes each animal, and responds with it and its new tag", async () => {
  const store = await shelter(3, { status: "available" });
  const results = await resultsOf(
    await change(store, [
      { id: 3, change: { status: "sold" } },
      { id: 1, change: { categoryId: 9, status: null } },
    ]),
  );
  expect(results).toEqual([
    { id: 3, pet: { id: 3, name: "Animal 3", categoryId: 1, status: "sold" }, etag: await tagOf(store, 3) },
    { id: 1, pet: { id: 1, name: "Animal 1", categoryId: 9 }, etag: await tagOf(store, 1) },
  ]);
  expect(await bodyOf(store, 2)).toMatchObject({ status: "available" });
});

test("POST /v1/pets/changes responds with the error of each change that is refused, and makes the others", async () => {
  const store = await shelter(4, { status: "available" });
  const order = { petId: 2, adopter: { name: "Ada", email: "ada@example.org" } };
  expect((await store.call("POST", "/v1/store/orders", { json: order })).status).toBe(201);
  const old = await tagOf(store, 3);
  await store.call("PATCH", "/v1/pets/3", { json: { name: "Rex" } });
  const sold = { status: "sold" };
  const results = await resultsOf(
    await change(store, [
      { id: 99, change: sold },
      { id: 2, change: sold },
      { id: 3, change: sold, ifMatch: old },
      { id: 98, change: sold, ifMatch: old },
      { id: 4, change: sold, ifMatch: await tagOf(store, 4) },
      { id: 1, change: sold, ifMatch: "*" },
    ]),
  );
  expect(
    results.map(({ id, error, pet }) => [id, error?.status ?? 200, error?.code ?? pet?.["status"]]),
  ).toEqual([
    [99, 404, "not_found"],
    [2, 409, "pet_in_order"],
    [3, 412, "precondition_failed"],
    [98, 404, "not_found"],
    [4, 200, "sold"],
    [1, 200, "sold"],
  ]);
  expect(Object.keys(results[0]?.error ?? {}).toSorted()).toEqual(["code", "message", "status"]);
  expect(await bodyOf(store, 3)).toMatchObject({ name: "Rex", status: "available" });
});

test("POST /v1/pets/changes refuses a category that does not exist, where categories are strict, for this animal alone", async () => {
  const store = await openStore({ env: { STRICT_CATEGORIES: "true" } });
  await store.call("POST", "/v1/categories", { json: { name: "Dogs" } });
  await addPet(store, {});
  const results = await resultsOf(
    await change(store, [
      { id: 1, change: { categoryId: 9 } },
      { id: 1, change: { name: "Rex" } },
    ]),
  );
  expect(results.map(({ error, pet }) => error?.code ?? pet?.["name"])).toEqual([
    "category_not_found",
    "Rex",
  ]);
});

test("POST /v1/pets/changes can undo its changes, by the tags of its results", async () => {
  const store = await shelter(3, { status: "available" });
  const made = await resultsOf(
    await change(
      store,
      [1, 2, 3].map((id) => ({ id, change: { status: "sold" } })),
    ),
  );
  await store.call("PATCH", "/v1/pets/2", { json: { status: "pending" } });
  const undone = await resultsOf(
    await change(
      store,
      made.map(({ id, etag }) => ({ id, ifMatch: etag, change: { status: "available" } })),
    ),
  );
  expect(undone.map(({ error }) => error?.code)).toEqual([undefined, "precondition_failed", undefined]);
  expect(await bodyOf(store, 2)).toMatchObject({ status: "pending" });
});

test("POST /v1/pets/changes makes changes of the same animal in their order, and a tag matches only before the first", async () => {
  const store = await shelter(1);
  const tag = await tagOf(store, 1);
  const results = await resultsOf(
    await change(store, [
      { id: 1, ifMatch: tag, change: { name: "Rex" } },
      { id: 1, ifMatch: tag, change: { name: "Max" } },
      { id: 1, change: { status: "sold" } },
    ]),
  );
  expect(results.map(({ error }) => error?.code)).toEqual([undefined, "precondition_failed", undefined]);
  expect(await bodyOf(store, 1)).toMatchObject({ name: "Rex", status: "sold" });
});

test("in POST /v1/pets/changes, ifMatch * needs the animal to exist, regardless of its changes", async () => {
  const store = await shelter(1);
  const results = await resultsOf(
    await change(store, [
      { id: 1, ifMatch: "*", change: { name: "Rex" } },
      { id: 1, ifMatch: " * ", change: { name: "Max" } },
      { id: 9, ifMatch: "*", change: { name: "Max" } },
    ]),
  );
  expect(results.map(({ error }) => error?.code)).toEqual([undefined, undefined, "not_found"]);
  expect(await bodyOf(store, 1)).toMatchObject({ name: "Max" });
});

test("POST /v1/pets/changes is done once for an Idempotency-Key", async () => {
  const store = await shelter(1, { status: "available" });
  const once = () => change(store, [{ id: 1, change: { status: "sold" } }], { "idempotency-key": '"k"' });
  const [first, second] = [await once(), await once()];
  expect(second.headers.get("idempotency-replayed")).toBe("true");
  expect(await second.json()).toEqual(await first.json());
  const events = store.database.client.query("SELECT kind FROM pet_events").values();
  expect(events).toEqual([["added"], ["changed"]]);
});

test("POST /v1/pets/changes records each change that was made, under the key that made it", async () => {
  const store = await shelter(2, { status: "available" });
  await change(store, [
    { id: 1, change: { status: "sold" } },
    { id: 9, change: { status: "sold" } },
    { id: 2, change: { status: "available" } },
  ]);
  const entries = store.database.client
    .query("SELECT action, resource_id, actor FROM audit_entries WHERE action = 'pet.changed'")
    .values();
  expect(entries).toEqual([["pet.changed", "1", "key"]]);
});

test("POST /v1/pets/changes changes 100 animals, and refuses more", async () => {
  const store = await shelter(100);
  const changes = Array.from({ length: 100 }, (_, index) => ({ id: index + 1, change: { status: "sold" } }));
  expect((await resultsOf(await change(store, changes))).filter(({ pet }) => pet)).toHaveLength(100);
  expect(await faultOf(await change(store, [...changes, changes[0]]))).toBe("400 invalid_request");
});

test.each([
  ["no changes", []],
  ["an invalid id", [{ id: 0, change: {} }]],
  ["a text as id", [{ id: "1", change: {} }]],
  ["no change", [{ id: 1 }]],
  ["an unknown field", [{ id: 1, change: {}, force: true }]],
  ["an unknown field of a change", [{ id: 1, change: { colour: "red" } }]],
  ["a change of the id", [{ id: 1, change: { id: 2 } }]],
  ["an unknown status", [{ id: 1, change: { status: "gone" } }]],
  ["a malformed tag", [{ id: 1, ifMatch: "abc", change: {} }]],
  ["a tag that is too long", [{ id: 1, ifMatch: `"${"a".repeat(300)}"`, change: {} }]],
])("POST /v1/pets/changes refuses %s, and changes nothing", async (_name, changes) => {
  const store = await shelter(1);
  expect(await faultOf(await change(store, [...changes]))).toBe("400 invalid_request");
  expect(store.database.client.query("SELECT count(*) FROM pet_events").values()).toEqual([[1]]);
});

test("POST /v1/pets/changes needs the scope pets:write", async () => {
  const store = await shelter(1);
  const key = await store.createKey({ scopes: ["pets:read"] });
  const response = await store.call("POST", "/v1/pets/changes", {
    key,
    json: { changes: [{ id: 1, change: {} }] },
  });
  expect(await faultOf(response)).toBe("403 insufficient_scope");
});
