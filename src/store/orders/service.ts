import type { Context } from "../../data/context.ts";
import { Fault, fieldFault } from "../../lib/errors.ts";
import type { Actor } from "../../lib/actor.ts";
import { type Page, cutPage, filterOf, readCursor } from "../../lib/pagination.ts";
import {
  explainStatus,
  type NewOrder,
  type Order,
  type OrderFilters,
  type OrderSort,
  type StepRequest,
} from "./order.ts";
import { type OrderCounts, orderRepository, type StoreResponse } from "./repository.ts";

interface ListOrders extends OrderFilters {
  limit: number;
  sort: OrderSort;
  /** From the previous page. */
  cursor?: string | undefined;
}

const notFound = () => new Fault("not_found", "There is no order with this id.");

const unknownAnimal = () =>
  fieldFault("not_found", { field: "petId", rule: "not_found" }, "petId: There is no animal with this id.");

const notAvailable = (status: string | null): Fault =>
  fieldFault(
    "pet_not_available",
    { field: "petId", rule: "conflict" },
    status === "available"
      ? "The animal has an open order already: cancel it first."
      : `The animal is not available for adoption: its status is ${status ?? "not set"}.`,
  );

/** A cursor is valid for the same filters and sort only. A search is hashed: it names people. */
const cursorScope = ({ sort, status, petId, q, ...others }: Omit<ListOrders, "limit" | "cursor">): string => {
  const short = `orders:${status ?? ""}:${petId ?? ""}${sort === "id" ? "" : `:${sort}`}`;
  return filterOf("orders", short, [q], others);
};

export const openOrders = ({ database, clock }: Context) => {
  const orders = orderRepository(database);
  return {
    /** @throws Fault invalid_cursor */
    async list({ limit, cursor, ...query }: ListOrders): Promise<Page<Order>> {
      const scope = cursorScope(query);
      const after = cursor === undefined ? undefined : readCursor(cursor, scope);
      // One more than the limit shows whether another page follows.
      return cutPage(await orders.list({ ...query, after, limit: limit + 1 }), limit, scope);
    },
    /** How many orders match, by status. Every write that was acknowledged counts. */
    count: (filters: Omit<OrderFilters, "status">): Promise<OrderCounts> => orders.count(filters),
    /** @param keep stores the response in the same transaction. @throws Fault not_found for an unknown animal, pet_not_available */
    async place(order: NewOrder, actor: Actor, keep?: StoreResponse<Order>): Promise<Order> {
      const placed = await orders.place(order, { actor, now: clock.now() }, keep);
      if (placed.order) return placed.order;
      if (!placed.pet) throw unknownAnimal();
      throw notAvailable(placed.pet.status);
    },
    /** @throws Fault not_found */
    async get(id: number): Promise<Order> {
      const order = await orders.find(id);
      if (!order) throw notFound();
      return order;
    },
    /** @param keep stores the response in the same transaction. @throws Fault not_found, order_status_conflict */
    async step(id: number, step: StepRequest, actor: Actor, keep?: StoreResponse<Order>): Promise<Order> {
      const result = await orders.step(id, step, { actor, now: clock.now() }, keep);
      if (result.order) return result.order;
      if (!result.present) throw notFound();
      throw new Fault("order_status_conflict", explainStatus(result.present.status));
    },
  };
};

export type OrderService = ReturnType<typeof openOrders>;
