import type { components } from "../api/store.d.ts";
import type { Animal } from "../animals/statistics.ts";
import type { Tone } from "../parts/tone.ts";

export type Order = components["schemas"]["Order"];
export type NewOrder = components["schemas"]["NewOrder"];
export type Status = components["schemas"]["OrderStatus"];

/** An order with its animal: null if that is gone, undefined if it may not be read. */
export type Adoption = Order & { animal?: Animal | null };

/** In the order of the work. */
export const STATUSES = ["placed", "approved", "completed", "cancelled"] as const satisfies readonly Status[];

export const TONES: Record<Status, Tone> = {
  placed: "waiting",
  approved: "good",
  completed: "quiet",
  cancelled: "quiet",
};

export const isStatus = (text: string | undefined): text is Status =>
  (STATUSES as readonly (string | undefined)[]).includes(text);

export const STEPS = ["approve", "complete", "cancel"] as const;
export type Step = (typeof STEPS)[number];

/** The steps that each status allows. */
export const STEPS_FROM: Record<Status, readonly Step[]> = {
  placed: ["approve", "cancel"],
  approved: ["complete", "cancel"],
  completed: [],
  cancelled: [],
};

/** What an order is after a step. */
export const STATUS_AFTER: Record<Step, Status> = {
  approve: "approved",
  complete: "completed",
  cancel: "cancelled",
};

/** The steps that nothing leads back from: they are asked for first. */
export type FinalStep = Exclude<Step, "approve">;

export const isFinalStep = (text: string | undefined): text is FinalStep =>
  text === "complete" || text === "cancel";

/** What the animal is called, or its id where that is all that is known. */
export const animalLabel = ({ animal, petId }: Adoption): string =>
  animal ? `“${animal.name}”` : `the animal ${petId}`;

/** "The adoption of “Bella” is approved now." */
export const stepMessage = (adoption: Adoption): string =>
  `The adoption of ${animalLabel(adoption)} is ${adoption.status} now.`;

/** Orders with their animals. @param animals those that there still are; undefined if they could not be read */
export const withAnimals = (orders: readonly Order[], animals: readonly Animal[] | undefined): Adoption[] => {
  if (!animals) return [...orders];
  const byId = new Map(animals.map((animal) => [animal.id, animal]));
  return orders.map((order) => Object.assign({ animal: byId.get(order.petId) ?? null }, order));
};

/** An order as it is now, with the animal that was known before. */
export const withOrder = ({ animal }: Adoption, now: Order): Adoption => ({
  ...(animal !== undefined && { animal }),
  ...now,
});
