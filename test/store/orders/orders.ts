import type { OrderStep } from "../../../src/store/orders/order.ts";
import { type Store, addPet } from "../../support/store.ts";

export const ADA = { name: "Ada Byron", email: "ada@example.org" };

export const place = (store: Store, petId: unknown, order: Record<string, unknown> = {}, key = store.key) =>
  store.call("POST", "/v1/store/orders", { key, json: { petId, adopter: ADA, ...order } });

export const REASON = "The new flat allows no pets.";

export const take = (store: Store, step: OrderStep, id: number | string = 1, key = store.key) =>
  store.call("POST", `/v1/store/orders/${id}/${step}`, {
    key,
    ...(step === "return" && { json: { reason: REASON } }),
  });

/** Adds an animal that can be adopted. @returns its id */
export const addAvailablePet = async (store: Store): Promise<number> =>
  (await addPet(store, { status: "available" })).id;

/** The status of an animal, "none" without one. */
export const statusOf = async (store: Store, id: number): Promise<string> => {
  const pet = (await (await store.call("GET", `/v1/pets/${id}`)).json()) as { status?: string };
  return pet.status ?? "none";
};
