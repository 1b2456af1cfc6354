import { setImmediate as nextTurn } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import { pets } from "../../data/db/schema/pets.ts";
import { statement, value } from "../../data/db/statement.ts";
import { type Search, toSearch, wordMatcher } from "../../lib/search.ts";
import { filterTerms } from "./filter-words.ts";
import type { FieldFilters, Pet } from "./pet.ts";
import {
  allOf,
  byFilters,
  COLUMNS,
  COLUMNS_BUT_STATUS,
  filterValues,
  HAS_ID,
  HAS_STATUS,
  inDirections,
  MATCHES_FILTERS,
  type PetPage,
  petOf,
  type Reader,
  SEARCHED,
  type Searched,
  type SearchedRow,
  toPet,
  toSearched,
  findWithId,
  type PlanOptions,
  wordLookup,
  wordSlices,
} from "./queries.ts";

/** Animals that are read in one turn of the event loop: for some names, a comparison takes 50 microseconds. */
const MAX_READ = 200;

/** The animals that were found in the part of a list that was read. */
interface Scan<Item> {
  found: Item[];
  /** The last animal that was read. */
  last: Item | undefined;
  /** False if more may follow in the rest of the list. */
  isComplete: boolean;
}

/**
 * Reads a list in its order, as long as it is dense with matches, or to the end of the page. Lets other requests run in
 * between.
 * @param read reads so many animals after one
 * @param maxSparse how many animals may be read for each that is found
 */
export const scanDense = async <Item>(
  read: (after: Item | undefined, count: number) => Item[],
  isMatch: (item: Item) => boolean,
  limit: number,
  maxSparse: number,
): Promise<Scan<Item>> => {
  const found: Item[] = [];
  let last: Item | undefined;
  let total = 0;
  for (let count = limit; ;) {
    const items = read(last, count);
    last = items.at(-1) ?? last;
    total += items.length;
    found.push(...items.filter(isMatch));
    const isComplete = found.length >= limit || items.length < count;
    if (isComplete || (found.length + 1) * maxSparse < total)
      return { found: found.slice(0, limit), last, isComplete };
    count = Math.min(MAX_READ, Math.ceil(((limit - found.length) * total) / (found.length + 1)));
    await nextTurn();
  }
};

/** If fewer than one of so many animals matches, the index of words costs less than the list. */
const MAX_SPARSE = 8;

/** At least as large as every id. */
const MAX_ID = Number.MAX_SAFE_INTEGER;

interface IdPage {
  after: number;
  limit: number;
}

/** Resolves when the index of words has every animal. */
type Ready = () => Promise<void>;

export const isReady: Ready = async () => {};

type ListPage = (filters: FieldFilters, page: IdPage) => Pet[];

const SLICES = inDirections((isDescending, direction) =>
  wordSlices<Pet>(isDescending, {
    read: (matching) =>
      statement(sql`SELECT ${COLUMNS} FROM ${pets} WHERE ${matching} ORDER BY ${pets.id} ${direction}`).as(
        toPet,
      ),
    fromPets: (found) => found,
  }),
);

/** Searches the index of words after an animal. */
const indexSearch = (reader: Reader, isDescending: boolean, options: PlanOptions | undefined) => {
  const slices = SLICES(isDescending)(reader, options);
  const inOrder = (one: Pet, other: Pet) => (isDescending ? other.id - one.id : one.id - other.id);

  return async (search: Search, filters: FieldFilters, { after, limit }: IdPage): Promise<Pet[]> => {
    const found: Pet[] = [];
    const missing = () => limit - found.length;
    const bounds = isDescending ? { low: 0, high: after - 1 } : { low: after, high: MAX_ID };
    for await (const more of slices(search, { filters, bounds, missing })) {
      found.push(...more.slice(0, missing()));
      if (missing() === 0) break;
    }
    const withId = findWithId(reader, search, filters)?.pet;
    const isAfter = withId && withId.id > bounds.low && withId.id <= bounds.high;
    if (!isAfter || found.some(({ id }) => id === withId.id)) return found;
    return [...found, withId].toSorted(inOrder).slice(0, limit);
  };
};

/** Reads the list itself while much of it matches: a page costs less than the first words of the index. */
const petSearch = (
  reader: Reader,
  isDescending: boolean,
  listPage: (filters: FieldFilters, page: IdPage) => Searched[],
  options: PlanOptions | undefined,
) => {
  const searchIndex = indexSearch(reader, isDescending, options);

  return async (search: Search, filters: PetPage, start: number, ready: Ready): Promise<Pet[]> => {
    const { limit } = filters;
    const [matches, hasFilters] = [wordMatcher(search.terms), wordMatcher(search.filters)];
    let isKnown = true;
    const scan = await scanDense(
      (after: Searched | undefined, count) =>
        listPage(filters, { after: after?.pet.id ?? start, limit: count }),
      ({ pet: { id, name }, added }) => {
        const isMatch = (id === search.idQuery && hasFilters(name, added)) || matches(name, added);
        isKnown &&= isMatch !== undefined;
        return isMatch === true;
      },
      limit,
      MAX_SPARSE,
    );
    const found = isKnown ? scan.found.map(petOf) : [];
    if (isKnown && scan.isComplete) return found;
    const rest = { after: (isKnown && scan.last?.pet.id) || start, limit: limit - found.length };
    await ready();
    return [...found, ...(await searchIndex(search, filters, rest))];
  };
};

const LISTS = inDirections((isDescending, direction) => {
  const isAfter = sql`${pets.id} ${isDescending ? sql`<` : sql`>`} ${value("after")}`;
  // A filter already tells the status: not reading the column makes up for the lookup by index.
  const listWhere = (conditions: SQL[], columns: SQL) =>
    statement<SearchedRow>(sql`
      SELECT ${columns}
      FROM ${pets}
      WHERE ${allOf([...conditions, isAfter])}
      ORDER BY ${pets.id} ${direction}
      LIMIT ${value("limit")}`);
  const ofIds = [HAS_ID, MATCHES_FILTERS];
  return {
    byFilters: byFilters((conditions) =>
      listWhere(conditions, conditions.includes(HAS_STATUS) ? COLUMNS_BUT_STATUS : COLUMNS).as(toPet),
    ),
    ofIds: listWhere(ofIds, COLUMNS).as(toPet),
    searched: byFilters((conditions) => listWhere(conditions, SEARCHED).as(toSearched)),
    searchedIds: listWhere(ofIds, SEARCHED).as(toSearched),
  };
});

/** Lists animals in one direction of ids. */
const listsInDirection = (reader: Reader, isDescending: boolean, options?: PlanOptions) => {
  const { client } = reader;
  const lists = LISTS(isDescending);
  const hasWords = wordLookup(reader);
  const listPage: ListPage = (filters, page) => {
    const { status } = filters;
    const found = lists.byFilters(filters).all(client, { ...filters, ...page });
    if (status !== undefined) for (const pet of found) pet.status = status;
    return found;
  };
  const searchPage = (filters: FieldFilters, page: IdPage) =>
    lists.searched(filters).all(client, { ...filters, ...page });
  const search = petSearch(reader, isDescending, searchPage, options);

  return (page: PetPage, ready: Ready): Pet[] | Promise<Pet[]> => {
    const { q, ids, limit } = page;
    const after = page.after?.id ?? (isDescending ? MAX_ID : 0);
    const parsed = toSearch(q, { filters: filterTerms(page) });
    if (ids === undefined)
      return parsed ? search(parsed, page, after, ready) : listPage(page, { after, limit });
    const values = {
      ...filterValues(page),
      after,
      limit: parsed ? ids.length : limit,
      ids: JSON.stringify(ids),
    };
    if (!parsed) return lists.ofIds.all(client, values);
    return ready().then(() =>
      lists.searchedIds.all(client, values).filter(hasWords(parsed)).slice(0, limit).map(petOf),
    );
  };
};

/**
 * Lists pages of animals in the order of ids. Each kind of list has its own statement and reads an index in that order: none
 * sorts. `ready` is awaited before the index of words is read.
 */
export const petsByIdOrder = (reader: Reader, options?: PlanOptions) => {
  const ascending = listsInDirection(reader, false, options);
  const descending = listsInDirection(reader, true, options);
  return (page: PetPage, ready = isReady) => (page.sort === "-id" ? descending : ascending)(page, ready);
};
