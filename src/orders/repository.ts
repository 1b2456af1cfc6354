import { and, eq, inArray, sql } from "drizzle-orm";
import { auditing } from "../db/audit.ts";
import { insertSelect } from "../db/insert-select.ts";
import { type StoreResponse, storing } from "../db/kept-responses.ts";
import type { Database } from "../db/open.ts";
import { orders } from "../db/schema/orders.ts";
import { pets } from "../db/schema/pets.ts";
import type { Act } from "../lib/actor.ts";
import type { NewOrder, Order } from "./order.ts";
import { COLUMNS, orderCounts, orderLists, toOrder } from "./queries.ts";
import { ORDER_STEPS, type OrderStep, TRANSITIONS } from "./status.ts";

export type { StoreResponse } from "../db/kept-responses.ts";

/** If no order was placed: the animal's status, or undefined if there is no such animal. */
type PlaceResult = { order: Order } | { order: undefined; pet: { status: string | null } | undefined };

/** If the step was refused: the present order, or undefined if there is none. */
type StepResult = { order: Order } | { order: undefined; present: Order | undefined };

type Row = typeof orders.$inferSelect;
type Before = Row & { petName: string | null };

const value = sql.placeholder;

/**
 * True if the statement before this one wrote a row (https://sqlite.org/lang_corefunc.html#changes); rows that triggers wrote
 * do not count. Both statements run in the same transaction.
 */
const PREVIOUS_WROTE = sql`changes() > 0`;

const findOrder = ({ orm }: Pick<Database, "orm">) =>
  orm
    .select(COLUMNS)
    .from(orders)
    .where(eq(orders.id, value("id")))
    .limit(1)
    .prepare();

const placeStatements = ({ orm }: Pick<Database, "orm">) => {
  const petStatement = orm
    .select({ status: pets.status, name: pets.name })
    .from(pets)
    .where(eq(pets.id, value("petId")))
    .limit(1)
    .prepare();
  // The unique index `orders_open` refuses a second open order of an animal.
  const insertStatement = insertSelect(
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
  const reserveStatement = orm
    .update(pets)
    .set({ status: "pending" })
    .where(and(eq(pets.id, value("petId")), PREVIOUS_WROTE))
    .returning({ id: pets.id })
    .prepare();
  return { petStatement, insertStatement, reserveStatement };
};

/** The order before a step, with the name of its animal. */
const prepareBefore = ({ orm }: Pick<Database, "orm">) =>
  orm
    .select({ ...COLUMNS, petName: pets.name })
    .from(orders)
    .leftJoin(pets, eq(pets.id, orders.petId))
    .where(eq(orders.id, value("id")))
    .limit(1)
    .prepare();

/** The statements of a step: the new status of the order, and then of its animal. */
const stepStatements = ({ orm }: Pick<Database, "orm">, step: OrderStep) => {
  const { from, to, pet } = TRANSITIONS[step];
  const orderStatement = orm
    .update(orders)
    .set({ status: to, updatedAt: sql`${value("now")}` })
    .where(and(eq(orders.id, value("id")), inArray(orders.status, [...from])))
    .returning(COLUMNS)
    .prepare();
  const petId = sql`(select ${orders.petId} from ${orders} where ${orders.id} = ${value("id")})`;
  const petStatement =
    pet &&
    orm
      .update(pets)
      .set({ status: pet.to })
      .where(and(eq(pets.id, petId), pet.from && eq(pets.status, pet.from), PREVIOUS_WROTE))
      .returning({ id: pets.id })
      .prepare();
  return { orderStatement, petStatement };
};

export const orderRepository = (database: Database) => {
  const { commit } = database;
  const findStatement = findOrder(database);
  const { petStatement, insertStatement, reserveStatement } = placeStatements(database);
  const beforeStatement = prepareBefore(database);
  const record = auditing(database);
  const steps = Object.fromEntries(
    ORDER_STEPS.map((step) => [step, stepStatements(database, step)]),
  ) as Record<OrderStep, ReturnType<typeof stepStatements>>;

  return {
    /**
     * Stores the order and makes its animal pending, in one atomic step: only if the animal is available and has no open
     * order. Of concurrent orders for one animal, one succeeds.
     */
    async place(
      { petId, adopter, note }: NewOrder,
      act: Act,
      keep?: StoreResponse<Order>,
    ): Promise<PlaceResult> {
      const values = {
        petId,
        adopterName: adopter.name,
        adopterEmail: adopter.email,
        note: note ?? null,
        now: act.now,
      };
      // The first statement reads the animal before it changes: it says why no order was placed.
      const [[present], [order]] = await commit(
        [
          { query: petStatement, values: { petId } },
          { query: insertStatement, values },
          { query: reserveStatement, values: { petId } },
        ],
        ([[pet], [placed]]) =>
          placed
            ? [
                ...record(act, {
                  action: "order.placed",
                  id: placed.id,
                  parent: petId,
                  label: pet?.name ?? null,
                }),
                ...storing(keep, toOrder(placed)),
              ]
            : [],
      );
      return order ? { order: toOrder(order) } : { order: undefined, pet: present };
    },
    /** Performs a step on the order and its animal, in one atomic step: only if the order's status allows it. */
    async step(id: number, step: OrderStep, act: Act, keep?: StoreResponse<Order>): Promise<StepResult> {
      const { orderStatement, petStatement: animalStatement } = steps[step];
      const read = { query: beforeStatement, values: { id } };
      const move = { query: orderStatement, values: { id, now: act.now } };
      const last = ([[before], [moved]]: readonly [Before[], Row[], ...unknown[]]) =>
        before && moved
          ? [
              ...record(act, {
                action: `order.${TRANSITIONS[step].to}`,
                id,
                parent: moved.petId,
                label: before.petName,
              }),
              ...storing(keep, toOrder(moved)),
            ]
          : [];
      const [[present], [order]] = await (animalStatement
        ? commit([read, move, { query: animalStatement, values: { id } }], last)
        : commit([read, move], last));
      if (order) return { order: toOrder(order) };
      return { order: undefined, present: present && toOrder(present) };
    },
    async find(id: number): Promise<Order | undefined> {
      const row = findStatement.get({ id });
      return row && toOrder(row);
    },
    list: orderLists(database),
    count: orderCounts(database),
  };
};

export type OrderRepository = ReturnType<typeof orderRepository>;
