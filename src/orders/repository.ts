import { and, asc, eq, gt, inArray, sql } from "drizzle-orm";
import { insertSelect } from "../db/insert-select.ts";
import type { Keep } from "../db/kept-responses.ts";
import type { Database } from "../db/open.ts";
import { orders } from "../db/schema/orders.ts";
import { pets } from "../db/schema/pets.ts";
import { PET_EFFECTS, ORDER_STEPS, type OrderStatus, type OrderStep, transitionOf } from "./status.ts";

export type { Keep } from "../db/kept-responses.ts";

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
  /** Absent once it was forgotten. */
  adopter?: Adopter;
  note?: string;
  status: OrderStatus;
  createdAt: number;
  updatedAt: number;
}

export interface OrderPage {
  /** Only orders with an id above this one. */
  after: number;
  limit: number;
  status: OrderStatus | undefined;
  petId: number | undefined;
}

/** What became of an order that was to be placed; `status` is the animal's own. */
export type PlaceResult = { order: Order } | { order: undefined; pet: { status: string | null } | undefined };

/** What became of a step; `present` is the order as it was found. */
export type StepResult = { order: Order } | { order: undefined; present: Order | undefined };

export interface Orders {
  /**
   * Stores the order and makes its animal pending, in one atomic step: only if that is available and no other order of it
   * is open. Of all who ask at once one gets it.
   */
  place(order: NewOrder, now: number, keep?: Keep<Order>): Promise<PlaceResult>;
  /** Takes the order a step on, with its effect on the animal, in one atomic step: only from a status that allows it. */
  step(id: number, step: OrderStep, now: number, keep?: Keep<Order>): Promise<StepResult>;
  find(id: number): Promise<Order | undefined>;
  /** Ascending by id. */
  list(page: OrderPage): Promise<Order[]>;
}

const COLUMNS = {
  id: orders.id,
  petId: orders.petId,
  adopterName: orders.adopterName,
  adopterEmail: orders.adopterEmail,
  note: orders.note,
  status: orders.status,
  createdAt: orders.createdAt,
  updatedAt: orders.updatedAt,
};

type Row = typeof orders.$inferSelect;

const toOrder = ({ adopterName, adopterEmail, note, ...rest }: Row): Order => ({
  ...rest,
  ...(adopterName !== null &&
    adopterEmail !== null && { adopter: { name: adopterName, email: adopterEmail } }),
  ...(note !== null && { note }),
});

/**
 * True if the statement before this one, of the same act, wrote a row (https://sqlite.org/lang_corefunc.html#changes): what
 * follows from it is written then only. What triggers wrote does not count.
 */
const BEFORE_WROTE = sql`changes() > 0`;

export const orderRepository = ({ orm, commit }: Database): Orders => {
  const value = sql.placeholder;
  const found = orm
    .select(COLUMNS)
    .from(orders)
    .where(eq(orders.id, value("id")))
    .limit(1)
    .prepare();
  const listedBy = (...filters: ("status" | "petId")[]) =>
    orm
      .select(COLUMNS)
      .from(orders)
      .where(and(gt(orders.id, value("after")), ...filters.map((name) => eq(orders[name], value(name)))))
      .orderBy(asc(orders.id))
      .limit(value("limit"))
      .prepare();
  const lists = {
    all: listedBy(),
    status: listedBy("status"),
    petId: listedBy("petId"),
    both: listedBy("petId", "status"),
  };
  const listFor = (status: OrderStatus | undefined, petId: number | undefined) => {
    if (petId === undefined) return status === undefined ? lists.all : lists.status;
    return status === undefined ? lists.petId : lists.both;
  };
  const pet = orm
    .select({ status: pets.status })
    .from(pets)
    .where(eq(pets.id, value("petId")))
    .limit(1)
    .prepare();
  // The unique index `orders_open` refuses a second open order of an animal.
  const inserted = insertSelect(
    orm,
    orders,
    {
      petId: pets.id,
      adopterName: value("adopterName"),
      adopterEmail: value("adopterEmail"),
      note: value("note"),
      status: sql`'placed'`,
      createdAt: value("now"),
      updatedAt: value("now"),
    },
    sql`from ${pets} where ${pets.id} = ${value("petId")} and ${pets.status} = 'available'`,
  )
    .onConflictDoNothing()
    .returning(COLUMNS)
    .prepare();
  const reserved = orm
    .update(pets)
    .set({ status: "pending" })
    .where(and(eq(pets.id, value("petId")), BEFORE_WROTE))
    .returning({ id: pets.id })
    .prepare();
  const stepOf = (step: OrderStep) => {
    const { from, to } = transitionOf(step);
    return orm
      .update(orders)
      .set({ status: to, updatedAt: sql`${value("now")}` })
      .where(and(eq(orders.id, value("id")), inArray(orders.status, from)))
      .returning(COLUMNS)
      .prepare();
  };
  const ofOrder = sql`(select ${orders.petId} from ${orders} where ${orders.id} = ${value("id")})`;
  const effectOf = (step: OrderStep) => {
    const effect = PET_EFFECTS[step];
    return (
      effect &&
      orm
        .update(pets)
        .set({ status: effect.to })
        .where(and(eq(pets.id, ofOrder), effect.from && eq(pets.status, effect.from), BEFORE_WROTE))
        .returning({ id: pets.id })
        .prepare()
    );
  };
  const steps = Object.fromEntries(
    ORDER_STEPS.map((step) => [step, { moved: stepOf(step), effect: effectOf(step) }]),
  ) as Record<OrderStep, { moved: ReturnType<typeof stepOf>; effect: ReturnType<typeof effectOf> }>;

  return {
    async place({ petId, adopter, note }, now, keep) {
      const values = {
        petId,
        adopterName: adopter.name,
        adopterEmail: adopter.email,
        note: note ?? null,
        now,
      };
      // Read in the same step, before it is changed: why no order was placed.
      const [[present], [order]] = await commit(
        [
          { query: pet, values: { petId } },
          { query: inserted, values },
          { query: reserved, values: { petId } },
        ],
        keep && (([, [placed]]) => placed && keep(toOrder(placed))),
      );
      return order ? { order: toOrder(order) } : { order: undefined, pet: present };
    },
    async step(id, step, now, keep) {
      const { moved, effect } = steps[step];
      const move = { query: moved, values: { id, now } };
      const read = { query: found, values: { id } };
      const [[present], [order]] = await (effect
        ? commit(
            [read, move, { query: effect, values: { id } }],
            keep && (([, [done]]) => done && keep(toOrder(done))),
          )
        : commit([read, move], keep && (([, [done]]) => done && keep(toOrder(done)))));
      if (order) return { order: toOrder(order) };
      return { order: undefined, present: present && toOrder(present) };
    },
    async find(id) {
      const row = found.get({ id });
      return row && toOrder(row);
    },
    async list({ status, petId, ...page }) {
      return listFor(status, petId)
        .all({ ...page, status, petId })
        .map(toOrder);
    },
  };
};
