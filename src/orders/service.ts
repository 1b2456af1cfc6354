import { Fault } from "../lib/errors.ts";
import { type Page, cutPage, readCursor } from "../lib/pagination.ts";
import type { Clock } from "../lib/time.ts";
import type { Keep, NewOrder, Order, Orders } from "./repository.ts";
import { type OrderStatus, type OrderStep, explainStatus } from "./status.ts";

export interface ListOrders {
  limit: number;
  status: OrderStatus | undefined;
  petId: number | undefined;
  /** As a page before gave it. */
  cursor: string | undefined;
}

export interface OrderService {
  /** @throws Fault invalid_cursor */
  list(query: ListOrders): Promise<Page<Order>>;
  /** @param keep of the same commit. @throws Fault not_found for an unknown animal, pet_not_available */
  place(order: NewOrder, keep?: Keep<Order>): Promise<Order>;
  /** @throws Fault not_found */
  get(id: number): Promise<Order>;
  /** @param keep of the same commit. @throws Fault not_found, order_status_conflict */
  step(id: number, step: OrderStep, keep?: Keep<Order>): Promise<Order>;
}

const notFound = () => new Fault("not_found", "There is no order with this id.");

/** Why an animal cannot be adopted, by its status. */
const unavailable = (status: string | null): Fault =>
  new Fault(
    "pet_not_available",
    status === "available"
      ? "The animal has an open order already: cancel that first."
      : `The animal is not available for adoption: its status is ${status ?? "not set"}.`,
  );

export const orderService = ({ orders, clock }: { orders: Orders; clock: Clock }): OrderService => ({
  async list({ limit, status, petId, cursor }) {
    // A cursor holds for its own list and filters.
    const filter = `orders:${status ?? ""}:${petId ?? ""}`;
    const after = cursor === undefined ? 0 : readCursor(cursor, filter);
    return cutPage(await orders.list({ after, limit: limit + 1, status, petId }), limit, filter);
  },
  async place(order, keep) {
    const placed = await orders.place(order, clock.now(), keep);
    if (placed.order) return placed.order;
    if (!placed.pet) throw new Fault("not_found", "petId: There is no animal with this id.");
    throw unavailable(placed.pet.status);
  },
  async get(id) {
    const order = await orders.find(id);
    if (!order) throw notFound();
    return order;
  },
  async step(id, step, keep) {
    const stepped = await orders.step(id, step, clock.now(), keep);
    if (stepped.order) return stepped.order;
    if (!stepped.present) throw notFound();
    throw new Fault("order_status_conflict", explainStatus(stepped.present.status));
  },
});
