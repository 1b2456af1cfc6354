export const ORDER_STATUSES = ["placed", "approved", "completed", "cancelled", "returned"] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const ORDER_STEPS = ["approve", "complete", "cancel", "return"] as const;
export type OrderStep = (typeof ORDER_STEPS)[number];

/** The statuses that an animal may have after its return. */
export const RETURNED_TO = ["available", "pending"] as const;

/** A step with its details. */
export type StepRequest =
  | { step: Exclude<OrderStep, "return"> }
  | { step: "return"; reason: string; animal: (typeof RETURNED_TO)[number] };

interface Transition {
  /** The statuses in which an order allows the step. */
  from: readonly OrderStatus[];
  to: Exclude<OrderStatus, "placed">;
  /** The new statuses of the animal to choose from, and the status that it must have for that; absent: any. */
  pet?: { from?: "pending" | "sold"; to: readonly ("available" | "pending" | "sold")[] };
}

/**
 * What each step of an adoption does: this table is the source of the SQL that performs it. Placing an order is not a step: it
 * makes the animal pending.
 */
export const TRANSITIONS: Readonly<Record<OrderStep, Transition>> = {
  approve: { from: ["placed"], to: "approved" },
  complete: { from: ["approved"], to: "completed", pet: { to: ["sold"] } },
  // An animal whose status has changed in the meantime keeps it.
  cancel: { from: ["placed", "approved"], to: "cancelled", pet: { from: "pending", to: ["available"] } },
  return: { from: ["completed"], to: "returned", pet: { from: "sold", to: RETURNED_TO } },
};

/** The status after a step; undefined if an order of this status does not allow the step. */
export const nextStatus = (status: OrderStatus, step: OrderStep): OrderStatus | undefined => {
  const { from, to } = TRANSITIONS[step];
  return from.includes(status) ? to : undefined;
};

/** A sentence that names the steps that an order of this status allows. */
export const explainStatus = (status: OrderStatus): string => {
  const possible = ORDER_STEPS.map((step) => nextStatus(status, step)).filter((next) => next !== undefined);
  return possible.length === 0
    ? `The order is ${status}: this is final.`
    : `The order is ${status}: it can be ${possible.join(" or ")}.`;
};

interface Adopter {
  name: string;
  email: string;
}

export interface NewOrder {
  petId: number;
  adopter: Adopter;
  note?: string | undefined;
}

/** An adoption. Times are milliseconds UTC. */
export interface Order {
  id: number;
  petId: number;
  /** Absent once it has been erased. */
  adopter?: Adopter;
  note?: string;
  /** Why the animal came back. Absent once it has been erased. */
  returnReason?: string;
  status: OrderStatus;
  createdAt: number;
  updatedAt: number;
}

export const ORDER_SORTS = ["id", "-id"] as const;
/** The order of a list: ascending by id, or the newest first. */
export type OrderSort = (typeof ORDER_SORTS)[number];

/** The filters of a list. Its orders match all of them. */
export interface OrderFilters {
  status?: OrderStatus | undefined;
  petId?: number | undefined;
  /** Every word begins a word of the adopter's name or address or of the animal's name; or the text is the order's id. */
  q?: string | undefined;
}
