import { setImmediate as nextTurn } from "node:timers/promises";
import { type SQL, and, asc, desc, gt, lt, not, or } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { pets } from "../db/schema/pets.ts";
import { idSlices } from "../lib/id-slices.ts";
import { once } from "../lib/lazy.ts";
import { type Search, toSearch } from "../lib/search.ts";
import type { Pet } from "./pet.ts";
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
  WORDS_IN_SLICE,
  newestId,
  readPets,
  value,
  wordLookup,
  words,
} from "./queries.ts";
import { scanDense } from "./scan.ts";

/** Larger than every id. */
const NO_ID = Number.MAX_SAFE_INTEGER;

interface IdPage {
  after: number;
  limit: number;
}

type ListPage = (filters: Pick<PetPage, "status" | "categoryId">, page: IdPage) => Pet[];

/**
 * Searches the index of words, a slice of ids at a time, and lets other requests run in between: a million animals may match
 * the words but not the other filters.
 */
const indexSearch = ({ orm }: Pick<Database, "orm">, isDescending: boolean, isBehind: SQL) => {
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

  return async (
    { match, typed, firstSlice }: Search,
    filters: Record<string, unknown>,
    { after, limit }: IdPage,
  ): Promise<Pet[]> => {
    const bounds = isDescending
      ? { low: 0, high: Math.min(after - 1, newest()) }
      : { low: after, high: newest() };
    const found: Pet[] = [];
    for (const slice of idSlices(bounds, isDescending, firstSlice)) {
      const rest = { ...filters, match, ...slice, limit: limit - found.length };
      found.push(...readPets(sliceStatement, rest));
      if (found.length === limit) break;
      await nextTurn();
    }
    if (typed === null) return found;
    const typedPets = readPets(typedStatement, { ...filters, match, typed, after });
    return [...found, ...typedPets].toSorted(inOrder).slice(0, limit);
  };
};

/** Reads the list itself while most of it matches: the first words of the index cost more than a page. */
const petSearch = (
  { orm }: Pick<Database, "orm">,
  isDescending: boolean,
  isBehind: SQL,
  listPage: ListPage,
) => {
  const hasWords = wordLookup({ orm });
  const searchIndex = once(() => indexSearch({ orm }, isDescending, isBehind));

  return (search: Search, { status, categoryId, limit }: PetPage, start: number): Pet[] | Promise<Pet[]> => {
    const { found, last, isComplete } = scanDense(
      (after: Pet | undefined, count) =>
        listPage({ status, categoryId }, { after: after?.id ?? start, limit: count }),
      hasWords(search),
      limit,
    );
    if (isComplete) return found;
    const page = { after: last?.id ?? start, limit: limit - found.length };
    const filters = { status: status ?? null, categoryId: categoryId ?? null };
    return searchIndex()(search, filters, page).then((rest) => [...found, ...rest]);
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
  const listPage: ListPage = ({ status, categoryId }, page) => {
    const values = { ...page, categoryId };
    if (status === undefined)
      return readPets(categoryId === undefined ? listStatement : categoryStatement, values);
    const statement = categoryId === undefined ? statusStatement : categoryAndStatusStatement;
    return readPets(statement, { ...values, status }, status);
  };
  const search = once(() => petSearch({ orm }, isDescending, isBehind, listPage));

  return (page: PetPage): Pet[] | Promise<Pet[]> => {
    const { status, categoryId, q, ids, limit } = page;
    const after = page.after?.id ?? (isDescending ? NO_ID : 0);
    const sought = toSearch(q);
    if (ids === undefined)
      return sought ? search()(sought, page, after) : listPage({ status, categoryId }, { after, limit });
    const values = {
      after,
      limit,
      status: status ?? null,
      categoryId: categoryId ?? null,
      ids: JSON.stringify(ids),
    };
    return sought
      ? readPets(idsAndWordsStatement(), { ...values, ...sought })
      : readPets(idsStatement(), values);
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
