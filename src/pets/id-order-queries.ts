import { setImmediate as nextTurn } from "node:timers/promises";
import { type SQL, and, asc, desc, gt, lt, not, or } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { pets } from "../db/schema/pets.ts";
import { idSlices } from "../lib/id-slices.ts";
import { once } from "../lib/lazy.ts";
import { type Search, toSearch } from "../lib/search.ts";
import type { Pet, PetStatus } from "./pet.ts";
import {
  COLUMNS,
  COLUMNS_BUT_STATUS,
  HAS_ID,
  HAS_STATUS,
  HAS_WORDS,
  IN_CATEGORY,
  IS_TYPED,
  MATCHES_FILTERS,
  type PetPage,
  type Row,
  WORDS_IN_SLICE,
  newestId,
  toPet,
  value,
  words,
} from "./queries.ts";

/** Larger than every id. */
const NO_ID = Number.MAX_SAFE_INTEGER;

const withStatus =
  (status: PetStatus) =>
  (row: Omit<Row, "status">): Pet => ({ ...row, status });

interface SearchValues {
  after: number;
  limit: number;
  [name: string]: unknown;
}

/**
 * Searches by words, a slice of ids at a time, and lets other requests run in between: a million animals may match the words
 * but not the other filters.
 */
const petSearch = ({ orm }: Pick<Database, "orm">, isDescending: boolean, isBehind: SQL) => {
  const sliceStatement = orm
    .select(COLUMNS)
    .from(words)
    .crossJoin(pets)
    .where(and(WORDS_IN_SLICE, MATCHES_FILTERS))
    .orderBy((isDescending ? desc : asc)(words.id))
    .limit(value("limit"))
    .prepare();
  const typedStatement = orm
    .select(COLUMNS)
    .from(pets)
    .where(and(IS_TYPED, isBehind, MATCHES_FILTERS, not(HAS_WORDS)))
    .limit(1)
    .prepare();
  const newest = newestId({ orm });
  const inOrder = (one: Pet, other: Pet) => (isDescending ? other.id - one.id : one.id - other.id);

  return async ({ firstSlice, ...search }: Search, values: SearchValues): Promise<Pet[]> => {
    const { after, limit } = values;
    const bounds = isDescending
      ? { low: 0, high: Math.min(after - 1, newest()) }
      : { low: after, high: newest() };
    const found: Pet[] = [];
    for (const slice of idSlices(bounds, isDescending, firstSlice)) {
      const rest = { ...values, ...search, ...slice, limit: limit - found.length };
      found.push(...sliceStatement.all(rest).map(toPet));
      if (found.length === limit) break;
      await nextTurn();
    }
    if (search.typed === null) return found;
    const typed = typedStatement.all({ ...values, ...search }).map(toPet);
    return [...found, ...typed].toSorted(inOrder).slice(0, limit);
  };
};

/** Lists animals in one direction of ids. */
const listsInDirection = ({ orm }: Pick<Database, "orm">, isDescending: boolean) => {
  const isBehind = (isDescending ? lt : gt)(pets.id, value("after"));
  const order = (isDescending ? desc : asc)(pets.id);
  const listWhere = (condition?: SQL) =>
    orm
      .select(COLUMNS)
      .from(pets)
      .where(and(condition, isBehind))
      .orderBy(order)
      .limit(value("limit"))
      .prepare();
  // The filter already tells the status: not reading the column makes up for the lookup by index.
  const listWithStatus = (condition?: SQL) =>
    orm
      .select(COLUMNS_BUT_STATUS)
      .from(pets)
      .where(and(condition, HAS_STATUS, isBehind))
      .orderBy(order)
      .limit(value("limit"))
      .prepare();
  const listStatement = listWhere();
  const categoryStatement = listWhere(IN_CATEGORY);
  const statusStatement = listWithStatus();
  const categoryAndStatusStatement = listWithStatus(IN_CATEGORY);
  const idsStatement = once(() => listWhere(and(HAS_ID, MATCHES_FILTERS)));
  const idsAndWordsStatement = once(() => listWhere(and(HAS_ID, or(HAS_WORDS, IS_TYPED), MATCHES_FILTERS)));
  const search = once(() => petSearch({ orm }, isDescending, isBehind));

  return ({ status, categoryId, q, ids, limit, after }: PetPage): Pet[] | Promise<Pet[]> => {
    const page = { limit, after: after?.id ?? (isDescending ? NO_ID : 0) };
    const sought = toSearch(q);
    if (ids === undefined && sought === undefined) {
      const values = { ...page, categoryId };
      if (status === undefined)
        return (categoryId === undefined ? listStatement : categoryStatement).all(values).map(toPet);
      const statement = categoryId === undefined ? statusStatement : categoryAndStatusStatement;
      return statement.all({ ...values, status }).map(withStatus(status));
    }
    const values = { ...page, status: status ?? null, categoryId: categoryId ?? null };
    if (sought && ids === undefined) return search()(sought, values);
    const valuesWithIds = { ...values, ids: JSON.stringify(ids) };
    if (!sought) return idsStatement().all(valuesWithIds).map(toPet);
    return idsAndWordsStatement()
      .all({ ...valuesWithIds, ...sought })
      .map(toPet);
  };
};

/**
 * Lists pages of animals in the order of ids. Each kind of list has its own statement and reads an index in that order: none
 * sorts.
 */
export const petsByIdOrder = (database: Pick<Database, "orm">) => {
  const ascending = listsInDirection(database, false);
  const descending = once(() => listsInDirection(database, true));
  return (page: PetPage) => (page.sort === "-id" ? descending() : ascending)(page);
};
