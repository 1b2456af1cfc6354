import type { OrderStatus } from "./status.ts";

export interface Adopter {
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
  status: OrderStatus;
  createdAt: number;
  updatedAt: number;
}

export const ORDER_SORTS = ["id", "-id"] as const;
/** The order of a list: ascending by id, or the newest first. */
export type OrderSort = (typeof ORDER_SORTS)[number];

/** The filters of a list. Its orders match all of them. */
export interface OrderFilters {
  status: OrderStatus | undefined;
  petId: number | undefined;
  /** Every word begins a word of the adopter's name or address or of the animal's name; or the text is the order's id. */
  q: string | undefined;
}
