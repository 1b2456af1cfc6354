import { describe, expect, test } from "bun:test";
import { type Store, addPet, faultOf, openStore } from "../support/store.ts";

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

describe("DELETE /v1/pets/{petId}", () => {
  test("removes the animal from the list, from the single animals and from the filters at once", async () => {
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

  test("never gives its id to another animal", async () => {
    const store = await withBella();
    await remove(store);
    expect((await addPet(store, {})).id).toBe(2);
  });

  test.each(["2", "0", "abc", "9007199254740993"])("there is no animal %s to delete", async (id) => {
    expect(await faultOf(await remove(await withBella(), id))).toBe("404 not_found");
  });

  test("responds 204 to one of many concurrent requests, and 404 to the others", async () => {
    const store = await withBella();
    const responses = await Promise.all(Array.from({ length: 20 }, () => remove(store)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([204, ...Array(19).fill(404)]);
  });

  test.each(["placed", "approved"])("is refused while an order that is %s holds it", async (status) => {
    const store = await withBella();
    order(store, status);
    const response = await remove(store);
    expect(response.status).toBe(409);
    expect(await response.json()).toEqual(HELD);
    expect((await store.call("GET", "/v1/pets/1")).status).toBe(200);
  });

  test.each(["completed", "cancelled"])("is allowed after an order that is %s", async (status) => {
    const store = await withBella();
    order(store, status);
    expect((await remove(store)).status).toBe(204);
  });
});

describe("PATCH of an animal that an open order holds", () => {
  test.each([{ status: "available" }, { status: null }, { name: "Luna", status: "sold" }])(
    "%j is refused, and changes nothing",
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
    "%j leaves the status, and holds",
    async (change) => {
      const store = await withBella();
      order(store, "approved");
      const response = await patch(store, change);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ ...change, status: "pending" });
    },
  );

  test.each(["completed", "cancelled"])("allows a new status after an order that is %s", async (status) => {
    const store = await withBella();
    order(store, status);
    expect((await patch(store, { status: "sold" })).status).toBe(200);
  });
});
