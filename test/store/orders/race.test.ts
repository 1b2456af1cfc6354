import { expect, test } from "bun:test";
import type { OrderStep } from "../../../src/store/orders/order.ts";
import { openStore, temporaryDirectory } from "../../support/store.ts";
import { addAvailablePet, place, statusOf, take } from "./orders.ts";

const ROUNDS = 50;
const STEPS: readonly OrderStep[] = ["approve", "complete", "cancel"];
const CLIENTS = 100;

const count = (responses: readonly Response[], status: number) =>
  responses.filter((response) => response.status === status).length;

test(`of ${CLIENTS} clients that want one animal exactly one gets it, ${ROUNDS} times`, async () => {
  const store = await openStore();
  for (let round = 0; round < ROUNDS; round++) {
    const pet = await addAvailablePet(store);
    const responses = await Promise.all(Array.from({ length: CLIENTS }, () => place(store, pet)));
    expect([count(responses, 201), count(responses, 409)]).toEqual([1, CLIENTS - 1]);
    expect(await statusOf(store, pet)).toBe("pending");
    expect(await (await store.call("GET", `/v1/store/orders?petId=${pet}`)).json()).toHaveLength(1);
  }
});

test.each(["1", "7"])(
  "of concurrent orders for one animal one succeeds, with %s writes in a transaction, on a file",
  async (size) => {
    const path = `${temporaryDirectory()}/store.db`;
    const store = await openStore({ path, env: { COMMIT_GROUP_SIZE: size } });
    for (let round = 0; round < 5; round++) {
      const pet = await addAvailablePet(store);
      const responses = await Promise.all(Array.from({ length: CLIENTS }, () => place(store, pet)));
      expect([count(responses, 201), count(responses, 409)]).toEqual([1, CLIENTS - 1]);
    }
  },
);

test("of the clients of two servers on one file, exactly one gets the animal", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const stores = [await openStore({ path }), await openStore({ path })] as const;
  for (let round = 0; round < 10; round++) {
    const pet = await addAvailablePet(stores[0]);
    const responses = await Promise.all(
      stores.flatMap((store) => Array.from({ length: 20 }, () => place(store, pet))),
    );
    expect([count(responses, 201), count(responses, 409)]).toEqual([1, 39]);
  }
});

test("of concurrent steps of an order one sequence succeeds, and its animal follows", async () => {
  const store = await openStore();
  const OF_PET = { completed: "sold", cancelled: "available", approved: "pending", placed: "pending" };
  const ends = new Set<string>();
  for (let round = 1; round <= ROUNDS; round++) {
    const pet = await addAvailablePet(store);
    await place(store, pet);
    const wanted = Array.from(
      { length: 30 },
      (_, index) => STEPS[(index * (1 + (round % 2)) + round) % 3] ?? "cancel",
    );
    const responses = await Promise.all(wanted.map((step) => take(store, step, round)));
    const done = wanted.filter((_, index) => responses[index]?.status === 200).join();
    expect(["cancel", "approve,complete", "approve,cancel"]).toContain(done);
    expect(count(responses, 409)).toBe(30 - count(responses, 200));
    const order = (await (await store.call("GET", `/v1/store/orders/${round}`)).json()) as {
      status: keyof typeof OF_PET;
    };
    expect(await statusOf(store, pet)).toBe(OF_PET[order.status]);
    ends.add(done);
  }
  expect(ends.size).toBe(3);
});
