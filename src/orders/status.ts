/** An adoption's way from placed to completed, as data, and what each step does to the animal. */

export const ORDER_STATUSES = ["placed", "approved", "completed", "cancelled"] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const ORDER_STEPS = ["approve", "complete", "cancel"] as const;
export type OrderStep = (typeof ORDER_STEPS)[number];

/** What each step makes of an order of each status; a pair that is not here does not happen. */
const TRANSITIONS: Readonly<Record<OrderStatus, Readonly<Partial<Record<OrderStep, OrderStatus>>>>> = {
  placed: { approve: "approved", cancel: "cancelled" },
  approved: { complete: "completed", cancel: "cancelled" },
  completed: {},
  cancelled: {},
};

/** What a step does to the animal: from which status, absent for any, to which. Placing an order made it pending. */
export const PET_EFFECTS: Readonly<
  Partial<Record<OrderStep, { from?: "pending"; to: "available" | "sold" }>>
> = {
  complete: { to: "sold" },
  // Whoever gave the animal another status meanwhile meant it.
  cancel: { from: "pending", to: "available" },
};

/** The status after a step; undefined if an order of that status does not take it. */
export const nextStatus = (status: OrderStatus, step: OrderStep): OrderStatus | undefined =>
  TRANSITIONS[status][step];

/** The statuses that a step starts from, and the one that it ends at. */
export const transitionOf = (step: OrderStep): { from: OrderStatus[]; to: OrderStatus } => {
  const from = ORDER_STATUSES.filter((status) => nextStatus(status, step) !== undefined);
  return { from, to: nextStatus(from[0] as OrderStatus, step) as OrderStatus };
};

const DONE = { approve: "approved", complete: "completed", cancel: "cancelled" } as const;

/** What can be done with an order of this status, in words. */
export const explainStatus = (status: OrderStatus): string => {
  const steps = ORDER_STEPS.filter((step) => nextStatus(status, step) !== undefined);
  const possible = steps.map((step) => DONE[step]).join(" or ");
  return steps.length === 0
    ? `The order is ${status}: nothing more can be done with it.`
    : `The order is ${status}: it can be ${possible}.`;
};
