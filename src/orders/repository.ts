import { setImmediate as nextTurn } from "node:timers/promises";
import { and, asc, desc, eq, gt, inArray, lte, max, sql, type SQL } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { auditing } from "../db/audit.ts";
import { ifGiven } from "../db/if-given.ts";
import { insertSelect } from "../db/insert-select.ts";
import { type StoreResponse, storing } from "../db/kept-responses.ts";
import type { Database } from "../db/open.ts";
import { orders } from "../db/schema/orders.ts";
import { pets } from "../db/schema/pets.ts";
import type { Act } from "../lib/actor.ts";
import { FIRST_SLICE_IDS, type IdSlice, idSlices, toSearch } from "../lib/search.ts";
import {
  type NewOrder,
  type Order,
  ORDER_STATUSES,
  ORDER_STEPS,
  type OrderFilters,
  type OrderSort,
  type OrderStatus,
  type OrderStep,
  TRANSITIONS,
} from "./order.ts";

export type { StoreResponse } from "../db/kept-responses.ts";

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

const toOrder = ({ adopterName, adopterEmail, note, ...rest }: typeof orders.$inferSelect): Order => ({
  ...rest,
  ...(adopterName !== null &&
    adopterEmail !== null && { adopter: { name: adopterName, email: adopterEmail } }),
  ...(note !== null && { note }),
});

export interface OrderPage extends OrderFilters {
  sort: OrderSort;
  /** The id after which the page starts; undefined for the first page. */
  after: number | undefined;
  limit: number;
}

/** The FTS5 index of adopters and animals' names (migration 0016), with the names that FTS5 gives its columns. */
const words = sqliteTable("orders_words", { id: integer("rowid"), words: text("orders_words") });

const value = sql.placeholder;

const HAS_STATUS = eq(orders.status, value("status"));
const OF_PET = eq(orders.petId, value("petId"));
const MATCHES_STATUS = ifGiven("status", HAS_STATUS);
const IN_SLICE = and(gt(orders.id, value("low")), lte(orders.id, value("high")));
const WORDS_IN_SLICE = and(
  sql`${words.words} match ${value("match")}`,
  gt(words.id, value("low")),
  lte(words.id, value("high")),
  eq(orders.id, words.id),
);
// Looked up for each order: the words of a million other orders cost this search nothing.
const HAS_WORDS = sql`exists (select 1 from orders_words where orders_words match ${value("match")} and rowid = ${orders.id})`;

/** Larger than every id. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

const boundsOf = ({ sort, after }: Pick<OrderPage, "sort" | "after">): IdSlice =>
  sort === "id"
    ? { low: after ?? 0, high: NO_LIMIT }
    : { low: 0, high: after === undefined ? NO_LIMIT : after - 1 };

const byIdIn = (sort: OrderSort) => (one: { id: number }, other: { id: number }) =>
  sort === "id" ? one.id - other.id : other.id - one.id;

const newestId = ({ orm }: Pick<Database, "orm">) => {
  const newestStatement = orm
    .select({ id: max(orders.id) })
    .from(orders)
    .prepare();
  return () => newestStatement.get()?.id ?? 0;
};

/** The order whose id the text is, unless its words match too. */
const typedOrder = ({ orm }: Pick<Database, "orm">) =>
  orm
    .select(COLUMNS)
    .from(orders)
    .where(
      and(
        eq(orders.id, value("typed")),
        IN_SLICE,
        MATCHES_STATUS,
        ifGiven("petId", OF_PET),
        sql`not ${HAS_WORDS}`,
      ),
    )
    .limit(1)
    .prepare();

const listStatements = ({ orm }: Pick<Database, "orm">, sort: OrderSort) => {
  const sorted = sort === "id" ? asc : desc;
  const listWhere = (...conditions: SQL[]) =>
    orm
      .select(COLUMNS)
      .from(orders)
      .where(and(IN_SLICE, ...conditions))
      .orderBy(sorted(orders.id))
      .limit(value("limit"))
      .prepare();
  // A cross join makes SQLite read the words first.
  const wordsStatement = orm
    .select(COLUMNS)
    .from(words)
    .crossJoin(orders)
    .where(and(WORDS_IN_SLICE, MATCHES_STATUS))
    .orderBy(sorted(words.id))
    .limit(value("limit"))
    .prepare();
  return {
    list: listWhere(),
    status: listWhere(HAS_STATUS),
    // An animal has few orders, so its index is used whatever the status.
    pet: listWhere(OF_PET, MATCHES_STATUS),
    words: wordsStatement,
    petAndWords: listWhere(OF_PET, HAS_WORDS, MATCHES_STATUS),
  };
};

/** Lists pages of orders. Each kind of list has its own statement and reads an index in the order of ids: none sorts. */
export const orderLists = (database: Pick<Database, "orm">): ((page: OrderPage) => Promise<Order[]>) => {
  const statements = { id: listStatements(database, "id"), "-id": listStatements(database, "-id") };
  const typedStatement = typedOrder(database);
  const newest = newestId(database);

  return async ({ sort, after, limit, status, petId, q }) => {
    const { list, status: withStatus, pet, words: withWords, petAndWords } = statements[sort];
    const values = { ...boundsOf({ sort, after }), limit, status: status ?? null, petId: petId ?? null };
    const search = toSearch(q);
    if (!search) {
      if (petId !== undefined) return pet.all(values).map(toOrder);
      return (status === undefined ? list : withStatus).all(values).map(toOrder);
    }
    const { firstSlice, ...sought } = search;
    const statement = petId === undefined ? withWords : petAndWords;
    const bounds = { low: values.low, high: Math.min(values.high, newest()) };
    const found: Order[] = [];
    for (const slice of idSlices(bounds, sort === "-id", firstSlice)) {
      const rows = statement.all({ ...values, ...sought, ...slice, limit: limit - found.length });
      found.push(...rows.map(toOrder));
      if (found.length === limit) break;
      await nextTurn();
    }
    const typed = typedStatement.all({ ...values, ...sought }).map(toOrder);
    return [...found, ...typed].toSorted(byIdIn(sort)).slice(0, limit);
  };
};

export type OrderCounts = Record<OrderStatus, number>;

// Grouping by the status, which is text, takes twice as long.
const countStatus = (status: OrderStatus) => sql<number>`count(iif(${orders.status} = ${status}, 1, null))`;
const COUNTS = {
  placed: countStatus("placed"),
  approved: countStatus("approved"),
  completed: countStatus("completed"),
  cancelled: countStatus("cancelled"),
};

/**
 * Counts orders by status, a slice of ids at a time, and lets other requests run in between. It counts every write that was
 * acknowledged before the call.
 */
export const orderCounts = (
  database: Pick<Database, "orm">,
): ((filters: Omit<OrderFilters, "status">) => Promise<OrderCounts>) => {
  const { orm } = database;
  const countWhere = (...conditions: SQL[]) =>
    orm
      .select(COUNTS)
      .from(orders)
      .where(and(IN_SLICE, ...conditions))
      .prepare();
  // Naming all statuses makes SQLite read the index of statuses, not the orders.
  const countStatement = countWhere(inArray(orders.status, [...ORDER_STATUSES]));
  const petStatement = countWhere(OF_PET);
  const petAndWordsStatement = countWhere(OF_PET, HAS_WORDS);
  const wordsStatement = orm.select(COUNTS).from(words).crossJoin(orders).where(WORDS_IN_SLICE).prepare();
  const typedStatement = typedOrder(database);
  const newest = newestId(database);
  const statementFor = (hasPet: boolean, hasWords: boolean) => {
    if (hasPet) return hasWords ? petAndWordsStatement : petStatement;
    return hasWords ? wordsStatement : countStatement;
  };

  return async ({ petId, q }) => {
    const search = toSearch(q);
    const statement = statementFor(petId !== undefined, search !== undefined);
    const bounds = { low: 0, high: newest() };
    const values = { ...bounds, ...search, petId: petId ?? null, status: null };
    const counts: OrderCounts = { placed: 0, approved: 0, completed: 0, cancelled: 0 };
    for (const { status } of search ? typedStatement.all(values) : []) counts[status]++;
    for (const slice of idSlices(bounds, false, search?.firstSlice ?? FIRST_SLICE_IDS)) {
      for (const group of statement.all({ ...values, ...slice }))
        for (const status of ORDER_STATUSES) counts[status] += group[status];
      await nextTurn();
    }
    return counts;
  };
};

/** If no order was placed: the animal's status, or undefined if the animal does not exist. */
type PlaceResult = { order: Order } | { order: undefined; pet: { status: string | null } | undefined };

/** If the step was refused: the present order, or undefined if it does not exist. */
type StepResult = { order: Order } | { order: undefined; present: Order | undefined };

type Row = typeof orders.$inferSelect;
type Before = Row & { petName: string | null };

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
      // The first statement reads the animal before it changes: its result explains a refused order.
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
