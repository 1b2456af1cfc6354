import { setImmediate as nextTurn } from "node:timers/promises";
import { sql, type SQL } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { record } from "../../data/db/audit.ts";
import { type StoreResponse, storing } from "../../data/db/kept-responses.ts";
import type { Database } from "../../data/db/open.ts";
import { orders } from "../../data/db/schema/orders.ts";
import { pets } from "../../data/db/schema/pets.ts";
import { columnsOf, insert, statement, update, value, valuesFor } from "../../data/db/statement.ts";
import type { Act } from "../../lib/actor.ts";
import { FIRST_SLICE_IDS, type IdSlice, idSlices, toSearch } from "../../lib/search.ts";
import { plainWords } from "../../lib/words.ts";
import {
  type NewOrder,
  type Order,
  ORDER_STATUSES,
  ORDER_STEPS,
  type OrderFilters,
  type OrderSort,
  type OrderStatus,
  type OrderStep,
  type StepRequest,
  TRANSITIONS,
} from "./order.ts";

export type { StoreResponse } from "../../data/db/kept-responses.ts";

type Row = typeof orders.$inferSelect;

/** Names each member, so that a new column is not part of the API. */
const toOrder = ({
  id,
  petId,
  status,
  createdAt,
  updatedAt,
  adopterName,
  adopterEmail,
  note,
  returnReason,
}: Row): Order => ({
  id,
  petId,
  status,
  createdAt,
  updatedAt,
  ...(adopterName !== null &&
    adopterEmail !== null && { adopter: { name: adopterName, email: adopterEmail } }),
  ...(note !== null && { note }),
  ...(returnReason !== null && { returnReason }),
});

interface OrderPage extends OrderFilters {
  sort: OrderSort;
  /** The id after which the page starts; undefined for the first page. */
  after: number | undefined;
  limit: number;
}

/** The FTS5 index of adopters and animals' names (migration 0016), with the names that FTS5 gives its columns. */
const words = sqliteTable("orders_words", { id: integer("rowid"), words: text("orders_words") });

const IS_ORDER = sql`${orders.id} = ${value("id")}`;
const HAS_STATUS = sql`${orders.status} = ${value("status")}`;
const OF_PET = sql`${orders.petId} = ${value("petId")}`;
const MATCHES_STATUS = sql`(${value("status")} IS NULL OR ${HAS_STATUS})`;
const IN_SLICE = sql`${orders.id} > ${value("low")} AND ${orders.id} <= ${value("high")}`;
const WORDS_IN_SLICE = sql`
    ${words.words} MATCH ${value("match")}
    AND ${words.id} > ${value("low")} AND ${words.id} <= ${value("high")}
    AND ${orders.id} = ${words.id}`;
// Looked up for each order: the words of a million other orders cost this search nothing.
const HAS_WORDS = sql`EXISTS (
    SELECT 1 FROM ${words} WHERE ${words.words} MATCH ${value("match")} AND ${words.id} = ${orders.id})`;

/** At least as large as every id. */
const MAX_ID = Number.MAX_SAFE_INTEGER;

const boundsOf = ({ sort, after }: Pick<OrderPage, "sort" | "after">): IdSlice =>
  sort === "id"
    ? { low: after ?? 0, high: MAX_ID }
    : { low: 0, high: after === undefined ? MAX_ID : after - 1 };

const byIdIn = (sort: OrderSort) => (one: { id: number }, other: { id: number }) =>
  sort === "id" ? one.id - other.id : other.id - one.id;

const NEWEST = statement<{ id: number | null }>(sql`SELECT max(${orders.id}) AS id FROM ${orders}`);

/** The order whose id the text is, unless its words match too. */
const WITH_ID = statement(sql`
  SELECT ${columnsOf(orders)}
  FROM ${orders}
  WHERE ${orders.id} = ${value("idQuery")}
    AND ${IN_SLICE}
    AND ${MATCHES_STATUS}
    AND (${value("petId")} IS NULL OR ${OF_PET})
    AND NOT ${HAS_WORDS}`).as(toOrder);

const listsIn = (sort: OrderSort) => {
  const direction = sort === "id" ? sql`ASC` : sql`DESC`;
  const listFrom = (tables: SQL, conditions: SQL, order: SQL = sql`${orders.id}`) =>
    statement(sql`
      SELECT ${columnsOf(orders)}
      FROM ${tables}
      WHERE ${conditions}
      ORDER BY ${order} ${direction}
      LIMIT ${value("limit")}`).as(toOrder);
  const listWhere = (conditions: SQL) => listFrom(sql`${orders}`, conditions);
  return {
    all: listWhere(IN_SLICE),
    status: listWhere(sql`${IN_SLICE} AND ${HAS_STATUS}`),
    // An animal has few orders, so its index is used whatever the status.
    pet: listWhere(sql`${IN_SLICE} AND ${OF_PET} AND ${MATCHES_STATUS}`),
    // A cross join makes SQLite read the words first.
    words: listFrom(
      sql`${words} CROSS JOIN ${orders}`,
      sql`${WORDS_IN_SLICE} AND ${MATCHES_STATUS}`,
      sql`${words.id}`,
    ),
    petAndWords: listWhere(sql`${IN_SLICE} AND ${OF_PET} AND ${HAS_WORDS} AND ${MATCHES_STATUS}`),
  };
};

const LISTS = { id: listsIn("id"), "-id": listsIn("-id") };

/** Lists pages of orders. Each kind of list has its own statement and reads an index in the order of ids: none sorts. */
const orderLists = ({ client }: Pick<Database, "client">): ((page: OrderPage) => Promise<Order[]>) => {
  return async ({ sort, after, limit, status, petId, q }) => {
    const lists = LISTS[sort];
    const values = { ...boundsOf({ sort, after }), limit, status: status ?? null, petId: petId ?? null };
    const search = toSearch(q, { wordsIn: plainWords });
    if (!search) {
      if (petId !== undefined) return lists.pet.all(client, values);
      return (status === undefined ? lists.all : lists.status).all(client, values);
    }
    const { firstSlice, ...searchValues } = search;
    const list = petId === undefined ? lists.words : lists.petAndWords;
    const bounds = { low: values.low, high: Math.min(values.high, NEWEST.get(client)?.id ?? 0) };
    const found: Order[] = [];
    for (const slice of idSlices(bounds, sort === "-id", firstSlice)) {
      found.push(...list.all(client, { ...values, ...searchValues, ...slice, limit: limit - found.length }));
      if (found.length === limit) break;
      await nextTurn();
    }
    const withId = WITH_ID.all(client, { ...values, ...searchValues });
    return [...found, ...withId].toSorted(byIdIn(sort)).slice(0, limit);
  };
};

export type OrderCounts = Record<OrderStatus, number>;

// Grouping by the status, which is text, takes twice as long.
const COUNTS = sql.join(
  ORDER_STATUSES.map(
    (status) => sql`count(iif(${orders.status} = ${status}, 1, NULL)) AS ${sql.identifier(status)}`,
  ),
  sql`, `,
);

const countWhere = (conditions: SQL, tables = sql`${orders}`) =>
  statement<OrderCounts>(sql`
    SELECT ${COUNTS}
    FROM ${tables}
    WHERE ${conditions}`);

// Naming all statuses makes SQLite read the index of statuses, not the orders.
const COUNT = countWhere(sql`${IN_SLICE} AND ${orders.status} IN ${[...ORDER_STATUSES]}`);
const COUNT_WORDS = countWhere(WORDS_IN_SLICE, sql`${words} CROSS JOIN ${orders}`);
const COUNT_PET = countWhere(sql`${IN_SLICE} AND ${OF_PET}`);
const COUNT_PET_AND_WORDS = countWhere(sql`${IN_SLICE} AND ${OF_PET} AND ${HAS_WORDS}`);

const countFor = (hasPet: boolean, hasWords: boolean) => {
  if (hasPet) return hasWords ? COUNT_PET_AND_WORDS : COUNT_PET;
  return hasWords ? COUNT_WORDS : COUNT;
};

/** The reads without a sort, for the test of their plans. */
export const INDEXED_READS = [
  ...Object.values(LISTS).flatMap((lists) => Object.values(lists)),
  WITH_ID,
  COUNT,
  COUNT_WORDS,
  COUNT_PET,
  COUNT_PET_AND_WORDS,
];

/**
 * Counts orders by status, a slice of ids at a time, and lets other requests run in between. It counts every write that was
 * acknowledged before the call.
 */
const orderCounts =
  ({ client }: Pick<Database, "client">) =>
  async ({ petId, q }: Omit<OrderFilters, "status">): Promise<OrderCounts> => {
    const search = toSearch(q, { wordsIn: plainWords });
    const count = countFor(petId !== undefined, search !== undefined);
    const bounds = { low: 0, high: NEWEST.get(client)?.id ?? 0 };
    const values = { ...bounds, ...search, petId: petId ?? null, status: null };
    const counts: OrderCounts = { placed: 0, approved: 0, completed: 0, cancelled: 0, returned: 0 };
    for (const { status } of search ? WITH_ID.all(client, values) : []) counts[status]++;
    for (const slice of idSlices(bounds, false, search?.firstSlice ?? FIRST_SLICE_IDS)) {
      for (const group of count.all(client, { ...values, ...slice }))
        for (const status of ORDER_STATUSES) counts[status] += group[status];
      await nextTurn();
    }
    return counts;
  };

/** If no order was placed: the animal's status, or undefined if the animal does not exist. */
type PlaceResult = { order: Order } | { order: undefined; pet: { status: string | null } | undefined };

/** If the step was refused: the present order, or undefined if it does not exist. */
type StepResult = { order: Order } | { order: undefined; present: Order | undefined };

/**
 * True if the statement before this one wrote a row (https://sqlite.org/lang_corefunc.html#changes); rows that triggers wrote
 * do not count. Both statements run in the same transaction.
 */
const PREVIOUS_WROTE = sql`changes() > 0`;

const FIND = statement(sql`SELECT ${columnsOf(orders)} FROM ${orders} WHERE ${IS_ORDER}`).as(toOrder);

const PET = statement<Pick<typeof pets.$inferSelect, "status" | "name">>(sql`
  SELECT ${columnsOf(pets, "status", "name")}
  FROM ${pets}
  WHERE ${pets.id} = ${value("petId")}`);

// The unique index `orders_open` refuses a second open order of an animal.
const PLACE = statement(sql`
  ${insert(orders, {
    petId: pets.id,
    ...valuesFor("adopterName", "adopterEmail", "note"),
    status: "placed",
    createdAt: value("now"),
    updatedAt: value("now"),
  })}
  FROM ${pets}
  WHERE ${pets.id} = ${value("petId")} AND ${pets.status} = 'available'
  ON CONFLICT DO NOTHING
  RETURNING ${columnsOf(orders)}`).as(toOrder);

const RESERVE = statement(sql`
  ${update(pets, { status: "pending", updatedAt: value("now") })}
  WHERE ${pets.id} = ${value("petId")} AND ${PREVIOUS_WROTE}`);

/** The order before a step, with the name of its animal. */
const BEFORE = statement(sql`
  SELECT ${columnsOf(orders)}, ${pets.name} AS petName
  FROM ${orders}
  LEFT JOIN ${pets} ON ${pets.id} = ${orders.petId}
  WHERE ${IS_ORDER}`).as(({ petName, ...row }: Row & { petName: string | null }) => ({
  petName,
  order: toOrder(row),
}));

// Without the adopter's address, no erasure would find the reason.
const RETURN_REASON = sql`iif(${orders.adopterEmail} IS NULL, NULL, ${value("reason")})`;

/** An animal that was sold again lives with a later adopter. */
const HAS_LATER_HOME = sql`EXISTS (
    SELECT 1 FROM ${orders}
    WHERE ${orders.petId} = ${pets.id} AND ${orders.id} > ${value("id")} AND ${orders.status} = 'completed')`;

/** The statements of a step: the new status of the order, and then of its animal. */
const stepStatements = (step: OrderStep) => {
  const { from, to, pet } = TRANSITIONS[step];
  const reason = to === "returned" && { returnReason: RETURN_REASON };
  const move = statement(sql`
    ${update(orders, { status: to, ...reason, updatedAt: value("now") })}
    WHERE ${IS_ORDER} AND ${orders.status} IN ${[...from]}
    RETURNING ${columnsOf(orders)}`).as(toOrder);
  if (!pet) return [move] as const;
  const [only, ...others] = pet.to;
  const movePet = statement(sql`
    ${update(pets, { status: others.length === 0 ? only : value("animal"), updatedAt: value("now") })}
    WHERE ${pets.id} = (SELECT ${orders.petId} FROM ${orders} WHERE ${IS_ORDER})
      ${pet.from && sql`AND ${pets.status} = ${pet.from}`}
      ${pet.from === "sold" ? sql`AND NOT ${HAS_LATER_HOME}` : undefined}
      AND ${PREVIOUS_WROTE}`);
  return [move, movePet] as const;
};

const STEPS = Object.fromEntries(ORDER_STEPS.map((step) => [step, stepStatements(step)])) as Record<
  OrderStep,
  ReturnType<typeof stepStatements>
>;

export const orderRepository = (database: Database) => {
  const { client, commit } = database;
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
        [PET.with(values), PLACE.with(values), RESERVE.with(values)],
        ([[pet], [placed]]) =>
          placed
            ? [
                ...record(act, {
                  action: "order.placed",
                  id: placed.id,
                  parent: petId,
                  label: pet?.name ?? null,
                }),
                ...storing(keep, placed),
              ]
            : [],
      );
      return order ? { order } : { order, pet: present };
    },
    /** Performs a step on the order and its animal, in one atomic step: only if the order's status allows it. */
    async step(
      id: number,
      { step, ...details }: StepRequest,
      act: Act,
      keep?: StoreResponse<Order>,
    ): Promise<StepResult> {
      const values = { ...details, id, now: act.now };
      const [move, ...rest] = STEPS[step];
      const [[present], [order]] = await commit(
        [BEFORE.with(values), move.with(values), ...rest.map((query) => query.with(values))],
        ([[before], [moved]]) =>
          before && moved
            ? [
                ...record(act, {
                  action: `order.${TRANSITIONS[step].to}`,
                  id,
                  parent: moved.petId,
                  label: before.petName,
                }),
                ...storing(keep, moved),
              ]
            : [],
      );
      return order ? { order } : { order, present: present?.order };
    },
    find: async (id: number): Promise<Order | undefined> => FIND.get(client, { id }),
    list: orderLists(database),
    count: orderCounts(database),
  };
};
