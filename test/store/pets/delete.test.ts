import { expect, test } from "bun:test";
import { type Store, addPet, faultOf, openStore } from "../../support/store.ts";

const withBella = async () => {
  const store = await openStore();
  await addPet(store, { status: "pending" });
  return store;
};

/** Puts an order for the animal 1 into the database. */
const order = (store: Store, status: string) =>
  store.database.client.run(
    "INSERT INTO orders (pet_id, adopter_name, adopter_email, status, created_at, updated_at) VALUES (1, 'Ada', 'ada@example.org', ?, 0, 0)",
    [status],
  );

const HELD = {
  code: "pet_in_order",
  message: "The open order 1 holds the animal: complete or cancel order 1 first.",
  status: 409,
};

const remove = (store: Store, id: number | string = 1) => store.call("DELETE", `/v1/pets/${id}`);

const patch = (store: Store, json: object) => store.call("PATCH", "/v1/pets/1", { json });

test("DELETE removes the animal immediately from the list, from the single animals and from the filters", async () => {
  const store = await withBella();
  await addPet(store, { name: "Rex" });
  for (const query of ["", "?status=pending"]) await store.call("GET", `/v1/pets${query}`);
  const response = await remove(store);
  expect([response.status, await response.text()]).toEqual([204, ""]);
  expect(response.headers.get("x-stability")).toBe("beta");
  expect(await faultOf(await store.call("GET", "/v1/pets/1"))).toBe("404 not_found");
  expect(await (await store.call("GET", "/v1/pets")).json()).toMatchObject([{ name: "Rex" }]);
  expect(await (await store.call("GET", "/v1/pets?status=pending")).json()).toEqual([]);
});

test("the id of a deleted animal is never given to another one", async () => {
  const store = await withBella();
  await remove(store);
  expect((await addPet(store, {})).id).toBe(2);
});

test.each(["2", "0", "abc", "9007199254740993"])(
  "the DELETE of the missing animal %s gets 404",
  async (id) => {
    expect(await faultOf(await remove(await withBella(), id))).toBe("404 not_found");
  },
);

test("one of many concurrent DELETE requests gets 204, and the others get 404", async () => {
  const store = await withBella();
  const responses = await Promise.all(Array.from({ length: 20 }, () => remove(store)));
  expect(responses.map(({ status }) => status).toSorted()).toEqual([204, ...Array(19).fill(404)]);
});

test.each(["placed", "approved"])(
  "DELETE is refused while an order that is %s holds the animal",
  async (status) => {
    const store = await withBella();
    order(store, status);
    const response = await remove(store);
    expect(response.status).toBe(409);
    expect(await response.json()).toEqual(HELD);
    expect((await store.call("GET", "/v1/pets/1")).status).toBe(200);
  },
);

test.each(["completed", "cancelled", "returned"])(
  "DELETE is allowed after an order that is %s",
  async (status) => {
    const store = await withBella();
    order(store, status);
    expect((await remove(store)).status).toBe(204);
  },
);

test.each([{ status: "available" }, { status: null }, { name: "Luna", status: "sold" }])(
  "a PATCH of an animal that an open order holds with %j is refused, and changes nothing",
  async (change) => {
    const store = await withBella();
    order(store, "placed");
    const response = await patch(store, change);
    expect(response.status).toBe(409);
    expect(await response.json()).toEqual(HELD);
    expect(await (await store.call("GET", "/v1/pets/1")).json()).toEqual({
      id: 1,
      name: "Bella",
      categoryId: 1,
      status: "pending",
    });
  },
);

test.each([{ name: "Luna" }, { categoryId: 9 }, { name: "Luna", status: "pending" }])(
  "a PATCH of an animal that an open order holds with %j leaves the status, and holds",
  async (change) => {
    const store = await withBella();
    order(store, "approved");
    const response = await patch(store, change);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ ...change, status: "pending" });
  },
);

test.each(["completed", "cancelled", "returned"])(
  "a PATCH of an animal allows a new status after an order that is %s",
  async (status) => {
    const store = await withBella();
    order(store, status);
    expect((await patch(store, { status: "sold" })).status).toBe(200);
  },
);
