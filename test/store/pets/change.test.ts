import { expect, test } from "bun:test";
import { addPet, faultOf, messageOf, openStore, type Store } from "../../support/store.ts";

const change = (store: Store, id: number | string, body: unknown, type = "application/merge-patch+json") =>
  store.call("PATCH", `/v1/pets/${id}`, {
    headers: { "content-type": type },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

const fetchPets = async (store: Store, query = ""): Promise<unknown> =>
  (await store.call("GET", `/v1/pets${query}`)).json();

const BELLA = { id: 1, name: "Bella", categoryId: 1, status: "available" };

const withBella = async () => {
  const store = await openStore();
  await addPet(store, { status: "available" });
  return store;
};

test.each([
  [{ name: "Luna" }, { ...BELLA, name: "Luna" }],
  [{ categoryId: 7 }, { ...BELLA, categoryId: 7 }],
  [{ status: "sold" }, { ...BELLA, status: "sold" }],
  [
    { name: "Luna", categoryId: -7, status: "pending" },
    { id: 1, name: "Luna", categoryId: -7, status: "pending" },
  ],
  [{ status: null }, { id: 1, name: "Bella", categoryId: 1 }],
  [{}, BELLA],
])("a PATCH of an animal with %j changes its fields and no others", async (body, expected) => {
  const store = await withBella();
  const response = await change(store, 1, body);
  expect([response.status, await response.json()]).toEqual([200, expected]);
  expect(response.headers.get("x-stability")).toBe("beta");
  expect(await fetchPets(store)).toEqual([expected]);
});

test("a PATCH of an animal accepts application/json too, and no other type", async () => {
  const store = await withBella();
  expect((await change(store, 1, { name: "Luna" }, "application/json")).status).toBe(200);
  const refused = await change(store, 1, { name: "Rex" }, "text/plain");
  expect(refused.headers.get("accept")).toBe("application/json, application/merge-patch+json");
  expect(await faultOf(refused)).toBe("415 unsupported_media_type");
});

test.each([-(2n ** 63n), -(2n ** 53n) - 1n, 0n, 2n ** 53n + 1n, 2n ** 63n - 1n])(
  "a PATCH of an animal stores the category %p exactly",
  async (category) => {
    const store = await withBella();
    const response = await change(store, 1, `{"categoryId":${category}}`);
    expect(await response.text()).toContain(`"categoryId":${category},`);
    expect(await (await store.call("GET", "/v1/pets")).text()).toContain(`"categoryId":${category},`);
  },
);

test("a PATCH of an animal moves it between the filters of the list immediately", async () => {
  const store = await withBella();
  expect(await fetchPets(store, "?status=available")).toEqual([BELLA]);
  await change(store, 1, { status: "sold" });
  expect(await fetchPets(store, "?status=available")).toEqual([]);
  expect(await fetchPets(store, "?status=sold")).toEqual([{ ...BELLA, status: "sold" }]);
});

test.each([
  [{ name: null }, "name"],
  [{ name: " " }, "name"],
  [{ categoryId: null }, "categoryId"],
  [{ categoryId: 1.5 }, "categoryId"],
  [{ status: "gone" }, "status"],
  [{ id: 2 }, "id"],
  [[], "body"],
])("a PATCH of an animal with %j is refused, and changes nothing", async (body, named) => {
  const store = await withBella();
  const response = await change(store, 1, body);
  expect(response.status).toBe(400);
  expect(await messageOf(response)).toContain(named);
  expect(await fetchPets(store)).toEqual([BELLA]);
});

test.each(["2", "0", "abc", "9007199254740993"])(
  "the PATCH of the missing animal %s gets 404",
  async (id) => {
    const store = await withBella();
    expect(await faultOf(await change(store, id, { name: "Luna" }))).toBe("404 not_found");
  },
);

test("two concurrent changes to different fields of an animal are both kept", async () => {
  const store = await withBella();
  await Promise.all([change(store, 1, { name: "Luna" }), change(store, 1, { status: "sold" })]);
  expect(await fetchPets(store)).toEqual([{ ...BELLA, name: "Luna", status: "sold" }]);
});
