import { expect, test } from "bun:test";
import { type Store, addPet, faultOf, messageOf, openStore, openOnce } from "../../support/store.ts";

const add = (store: Store, name: unknown) => store.call("POST", "/v1/categories", { json: { name } });

const withCategories = async (...names: string[]) => {
  const store = await openStore();
  for (const name of names) expect((await add(store, name)).status).toBe(201);
  return store;
};

test("a category is added, fetched, listed, renamed and deleted", async () => {
  const store = await openStore();
  const added = await add(store, "Dogs");
  expect([added.status, added.headers.get("location"), added.headers.get("x-stability")]).toEqual([
    201,
    "/v1/categories/1",
    "beta",
  ]);
  expect(await added.json()).toEqual({ id: 1, name: "Dogs" });
  expect(await (await store.call("GET", "/v1/categories/1")).json()).toEqual({ id: 1, name: "Dogs" });
  expect(await (await store.call("GET", "/v1/categories")).json()).toEqual([{ id: 1, name: "Dogs" }]);
  const renamed = await store.call("PATCH", "/v1/categories/1", { json: { name: "Hounds" } });
  expect([renamed.status, await renamed.json()]).toEqual([200, { id: 1, name: "Hounds" }]);
  const unchanged = await store.call("PATCH", "/v1/categories/1", { json: {} });
  expect([unchanged.status, await unchanged.json()]).toEqual([200, { id: 1, name: "Hounds" }]);
  expect((await store.call("DELETE", "/v1/categories/1")).status).toBe(204);
  expect(await (await store.call("GET", "/v1/categories")).json()).toEqual([]);
});

test("the id of a deleted category is never used again", async () => {
  const store = await withCategories("Dogs");
  await store.call("DELETE", "/v1/categories/1");
  expect(await (await add(store, "Dogs")).json()).toEqual({ id: 2, name: "Dogs" });
});

const empty = openOnce(openStore);
const withDogs = openOnce(() => withCategories("Dogs"));

test.each(["0", "7", "x", "1.0", "01", "9007199254740993", "9223372036854775807"])(
  "the id %p of no category gets 404",
  async (id) => {
    const store = withDogs();
    for (const [method, call] of [
      ["GET", {}],
      ["PATCH", { json: { name: "Cats" } }],
      ["DELETE", {}],
    ] as const)
      expect(await faultOf(await store.call(method, `/v1/categories/${id}`, call))).toBe("404 not_found");
  },
);

test.each([
  ["Dogs", "dogs"],
  ["Dogs", "DOGS"],
  ["Übrige", "ÜBRIGE"],
  ["Übrige", "U\u0308brige"],
  ["Fish", "\uff26ish"],
  ["Class 1", "Class \u2460"],
  ["Dogs", "Dogs "],
  [" Dogs", "Dogs"],
  ["Small dogs", "small \u00a0 dogs\u3000"],
])("%p and %p are the same name", async (name, other) => {
  const store = await withCategories(name, "Cats");
  expect(await faultOf(await add(store, other))).toBe("409 category_name_taken");
  expect(await faultOf(await store.call("PATCH", "/v1/categories/2", { json: { name: other } }))).toBe(
    "409 category_name_taken",
  );
  const itself = await store.call("PATCH", "/v1/categories/1", { json: { name: other } });
  expect([itself.status, await itself.json()]).toEqual([200, { id: 1, name: other }]);
});

test("a category from the time when white space counted keeps its name, and cannot take another's", async () => {
  const store = await withCategories("Dogs");
  store.database.client.run("INSERT INTO categories (name, folded) VALUES ('Dogs ', 'dogs ')");
  expect(await (await store.call("GET", "/v1/categories/2")).json()).toEqual({ id: 2, name: "Dogs " });
  const rename = (name: string) => store.call("PATCH", "/v1/categories/2", { json: { name } });
  expect(await faultOf(await rename(" Dogs"))).toBe("409 category_name_taken");
  expect((await rename("Cats")).status).toBe(200);
  expect(await faultOf(await add(store, "Cats "))).toBe("409 category_name_taken");
});

test.each(["", "  ", "a\nb", "a".repeat(101), 7, null, "\ud800", "\u200b", "Dogs\u2060"])(
  "%p is refused as the name of a category",
  async (name) => {
    const response = await add(empty(), name);
    expect(response.status).toBe(400);
    expect(await messageOf(response)).toStartWith("name: must be a string of 1 to 100 characters");
  },
);

test("of concurrent requests for the same category name, one succeeds", async () => {
  const store = await openStore();
  const responses = await Promise.all(Array.from({ length: 50 }, () => add(store, "Dogs")));
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(responses.filter(({ status }) => status === 409)).toHaveLength(49);
});

test("categories are listed in pages, and a cursor is accepted by this list only", async () => {
  const store = await withCategories("C", "A", "B");
  const first = await store.call("GET", "/v1/categories?limit=2");
  const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
  const names = async (response: Response) =>
    ((await response.json()) as { name: string }[]).map(({ name }) => name);
  expect(await names(first)).toEqual(["C", "A"]);
  const last = await store.call("GET", next);
  expect([await names(last), last.headers.get("link")]).toEqual([["B"], null]);
  const cursor = new URL(next, "http://localhost").searchParams.get("cursor");
  expect(await faultOf(await store.call("GET", `/v1/pets?cursor=${cursor}`))).toBe("400 invalid_cursor");
});

test("a category with animals cannot be deleted", async () => {
  const store = await withCategories("Dogs");
  await addPet(store, { categoryId: 1 });
  expect(await faultOf(await store.call("DELETE", "/v1/categories/1"))).toBe("409 category_in_use");
  await store.call("PATCH", "/v1/pets/1", { json: { categoryId: 99 } });
  expect((await store.call("DELETE", "/v1/categories/1")).status).toBe(204);
});

test("reading categories needs pets:read, changing them pets:write", async () => {
  const store = await withCategories("Dogs");
  const reader = await store.createKey({ scopes: ["pets:read"] });
  const writer = await store.createKey({ scopes: ["pets:write"] });
  expect((await store.call("GET", "/v1/categories/1", { key: reader })).status).toBe(200);
  expect((await store.call("GET", "/v1/categories", { key: writer })).status).toBe(403);
  for (const [method, call] of [
    ["PATCH", { json: {} }],
    ["DELETE", {}],
  ] as const)
    expect((await store.call(method, "/v1/categories/1", { key: reader, ...call })).status).toBe(403);
  expect((await store.call("DELETE", "/v1/categories/1", { key: writer })).status).toBe(204);
});

const strict = async () => {
  const store = await openStore({ env: { STRICT_CATEGORIES: "true" } });
  await add(store, "Dogs");
  return store;
};
const change = (store: Store, json: object) => store.call("PATCH", "/v1/pets/1", { json });
const post = (store: Store, categoryId: unknown) =>
  store.call("POST", "/v1/pets", {
    headers: { "content-type": "application/json" },
    body: `{"name": "Bella", "categoryId": ${String(categoryId)}, "status": "available"}`,
  });

test("STRICT_CATEGORIES accepts animals of categories that exist", async () => {
  const store = await strict();
  const response = await post(store, 1);
  expect([response.status, await response.json()]).toEqual([
    201,
    { id: 1, name: "Bella", categoryId: 1, status: "available" },
  ]);
  expect(await addPet(store, {})).toEqual({ id: 2, name: "Bella", categoryId: 1 } as never);
});

test.each([2, 0, -1, "9007199254740993", "9223372036854775807"])(
  "STRICT_CATEGORIES refuses an animal of category %p, and adds nothing",
  async (categoryId) => {
    const store = await strict();
    expect(await faultOf(await post(store, categoryId))).toBe("404 category_not_found");
    expect(await (await store.call("GET", "/v1/pets")).json()).toEqual([]);
  },
);

test("STRICT_CATEGORIES refuses to move an animal to a category that does not exist, and changes nothing", async () => {
  const store = await strict();
  await addPet(store, {});
  expect(await faultOf(await change(store, { name: "Luna", categoryId: 2 }))).toBe("404 category_not_found");
  expect(await (await change(store, {})).json()).toMatchObject({ name: "Bella", categoryId: 1 });
  await add(store, "Cats");
  expect(await (await change(store, { categoryId: 2 })).json()).toMatchObject({ categoryId: 2 });
  expect(await faultOf(await store.call("PATCH", "/v1/pets/9", { json: { categoryId: 9 } }))).toBe(
    "404 not_found",
  );
});

test("STRICT_CATEGORIES never leaves an animal without its category, regardless of the order of requests", async () => {
  for (let round = 0; round < 20; round++) {
    const store = await strict();
    const [removed, ...added] = await Promise.all([
      store.call("DELETE", "/v1/categories/1"),
      ...Array.from({ length: 5 }, () => post(store, 1)),
    ]);
    const isThere = added.some(({ status }) => status === 201);
    expect(removed.status).toBe(isThere ? 409 : 204);
  }
});

test("STRICT_CATEGORIES is off by default: an animal may belong to any category", async () => {
  expect((await post(await openStore(), 77)).status).toBe(201);
});
