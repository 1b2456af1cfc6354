import { setImmediate as nextTurn } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import { petNames, pets, petTimes } from "../../data/db/schema/pets.ts";
import { columnsOf, statement, value } from "../../data/db/statement.ts";
import { type Search, toSearch } from "../../lib/search.ts";
import { scanDense } from "./id-order-queries.ts";
import { filterTerms } from "./filter-words.ts";
import {
  type FieldFilters,
  isDescending,
  type Pet,
  type PetFilters,
  type PetSort,
  type SortKey,
  sortKeyOf,
} from "./pet.ts";
import {
  ADDED_WORDS,
  allOf,
  byFilters,
  COLUMNS,
  filterValues,
  HAS_ID,
  hasFilters,
  inDirections,
  type ListedPet,
  MATCHES_FILTERS,
  type PetPage,
  type Position,
  type Reader,
  type Row,
  type Searched,
  type SearchedRow,
  toPet,
  ALL_IDS,
  findWithId,
  wordLookup,
  wordSlices,
} from "./queries.ts";

/** Ids that are read from an index in one turn of the event loop. */
const SLICE_IDS = 10_000;

const toId = ({ id }: { id: number }) => id;

const ID_SLICES = wordSlices<number>(false, {
  read: (matching) =>
    statement(sql`SELECT ${pets.id} AS id FROM ${pets} WHERE ${matching} ORDER BY ${pets.id}`).as(toId),
  fromPets: (found) => found.map(toId),
});

/** The ids of the animals that a search finds, ascending. */
const searchedIds = async (reader: Reader, search: Search, filters: FieldFilters): Promise<number[]> => {
  const found: number[] = [];
  for await (const ids of ID_SLICES(reader)(search, { filters, bounds: ALL_IDS }))
    for (const id of ids) found.push(id);
  const withId = findWithId(reader, search, filters)?.pet;
  if (!withId || found.includes(withId.id)) return found;
  return [...found, withId.id].toSorted((a, b) => a - b);
};

const IDS = byFilters((conditions) =>
  statement(sql`
    SELECT ${pets.id} AS id
    FROM ${pets}
    WHERE ${allOf([...conditions, sql`${pets.id} > ${value("after")}`])}
    ORDER BY ${pets.id}
    LIMIT ${SLICE_IDS}`).as(toId),
);

/**
 * The ids of the animals that were changed since a time, ascending; undefined if there are more than `most`, rounded up to a
 * slice.
 */
const changedIds = async (reader: Reader, since: number, most: number): Promise<number[] | undefined> => {
  const { keys } = LISTS("updatedAt")(false);
  const found: number[] = [];
  for (let from: Place = { id: 0, key: since }; ;) {
    const slice = keys.all(reader.client, { ...fromPlace(from), limit: SLICE_IDS });
    for (const { id } of slice) found.push(id);
    const last = slice.at(-1);
    if (slice.length < SLICE_IDS || last === undefined) return found.toSorted((a, b) => a - b);
    if (found.length > most) return undefined;
    from = last;
    await nextTurn();
  }
};

/** So many changed animals are sorted instead of reading a list for them. */
const FEW = 200;

/** The ids of the animals that were changed since a time, if there are fewer than `few`. */
const fewChangedIds = ({ client }: Reader, since: number, few: number): number[] | undefined => {
  const found = LISTS("updatedAt")(false).keys.all(client, {
    ...fromPlace({ id: 0, key: since }),
    limit: few,
  });
  return found.length < few ? found.map(toId) : undefined;
};

/**
 * Reads the ids of all animals that match a search, a change, a status or a category, ascending, in slices that let other
 * requests run. Some of them may not match the other filters.
 */
const candidateIds = async (
  reader: Reader,
  filters: PetFilters,
  search: Search | undefined,
): Promise<number[]> => {
  if (search) return searchedIds(reader, search, filters);
  const { updatedSince } = filters;
  const changed =
    updatedSince === undefined
      ? undefined
      : await changedIds(reader, updatedSince, hasFilters(filters) ? 0 : Infinity);
  if (changed) return changed;
  const found: number[] = [];
  for (let after = 0; ;) {
    const slice = IDS(filters).all(reader.client, { ...filters, after });
    for (const id of slice) found.push(id);
    if (slice.length < SLICE_IDS) return found;
    after = found.at(-1) ?? after;
    await nextTurn();
  }
};

/** So many animals are sorted. If more match, the keys are read in order until enough of them match. */
const MAX_SORTED = 2000;

/** As long as one of so many animals matches, the list is read in order. */
const MAX_SPARSE = 500;
/** The same for a search: names with rare signs are looked up in the index of words, one by one. */
const MAX_SPARSE_SEARCH = 50;

/** How many keys are read in one turn of the event loop. */
const SLICE_KEYS = 5000;

/** The bytes of a name that a cursor holds: a cursor has at most 200 characters. */
const MAX_NAME_BYTES = 100;
const MAX_CHARACTER_BYTES = 4;

const encoder = new TextEncoder();
/** Only its length counts. */
const buffer = new Uint8Array(MAX_NAME_BYTES);

/** The beginning of a name, as long as a cursor can hold it: only whole characters. */
const cutName = (folded: string): string => folded.slice(0, encoder.encodeInto(folded, buffer).read);

const mayBeCut = (folded: string): boolean =>
  Buffer.byteLength(folded) > MAX_NAME_BYTES - MAX_CHARACTER_BYTES;

type KeyedRow = Row & { key: string | number };
type ScannedRow = KeyedRow & SearchedRow & { isMatch: number };

const toListed = (row: KeyedRow): ListedPet => ({
  ...toPet(row),
  key: typeof row.key === "string" ? cutName(row.key) : row.key,
});

const toScanned = (row: ScannedRow) => ({
  pet: toListed(row),
  added: row.added,
  isMatch: row.isMatch === 1,
});

type Scanned = ReturnType<typeof toScanned>;

interface Place {
  id: number;
  key: string | number | Uint8Array;
}

/** Before every animal of an order. */
const firstOf = (sortKey: SortKey): Place => ({
  id: 0,
  key: sortKey === "name" ? "" : Number.MIN_SAFE_INTEGER,
});
/** After every animal: SQLite sorts every blob after every text and number. */
const LAST: Place = { id: 0, key: new Uint8Array() };

const fromPlace = ({ id, key }: Place) => ({ fromId: id, fromKey: key });

/** @param ids ascending */
const hasId = (ids: readonly number[], id: number): boolean => {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] as number) < id) low = middle + 1;
    else high = middle;
  }
  return ids[low] === id;
};

const NAME = statement<{ folded: string }>(sql`
  SELECT ${columnsOf(petNames, "folded")} FROM ${petNames} WHERE ${petNames.id} = ${value("id")}`);

/** The place of a cursor. If the name was cut and its animal was deleted, the cut name is the closest place. */
const placeOf = ({ client }: Reader, { id, key = "" }: Position): Place => {
  if (typeof key === "number") return { id, key };
  const name = mayBeCut(key) ? NAME.get(client, { id })?.folded : undefined;
  return { id, key: name?.startsWith(key) ? name : key };
};

/** The table with the keys of each order, and its column. An order by id is here for lists of changed animals only. */
const KEYS = {
  id: [petTimes, petTimes.id],
  name: [petNames, petNames.folded],
  createdAt: [petTimes, petTimes.createdAt],
  updatedAt: [petTimes, petTimes.updatedAt],
} as const;

const IS_CHANGED = sql`(${value("since")} IS NULL OR ${value("since")} <= (
    SELECT changed.updated_at FROM ${petTimes} AS changed WHERE changed.id = ${pets.id}))`;
const MATCHES_ALL = sql`${MATCHES_FILTERS} AND ${IS_CHANGED}`;

const listsBy = (sortKey: SortKey) =>
  inDirections((isDescending, direction) => {
    const [table, key] = KEYS[sortKey];
    // In the descending order the values end at a key: the ascending one begins there.
    const isAfter = isDescending
      ? sql`(${key}, ${table.at}) < (${value("fromKey")}, ${value("fromId")}) AND ${key} >= ${value("lowestKey")}`
      : sql`(${key}, ${table.at}) > (${value("fromKey")}, ${value("fromId")})`;
    const order = sql`${key} ${direction}, ${table.at} ${direction}`;
    const listed = sql`${COLUMNS}, ${key} AS key`;
    const pageWhere = (conditions: SQL[], columns = listed) =>
      statement<KeyedRow>(sql`
        SELECT ${columns}
        FROM ${table}
        JOIN ${pets} ON ${pets.id} = ${table.id}
        WHERE ${allOf(conditions)}
        ORDER BY ${order}
        LIMIT ${value("limit")}`);
    return {
      page: pageWhere([isAfter]).as(toListed),
      sort: pageWhere([isAfter, HAS_ID, MATCHES_ALL]).as(toListed),
      /** All animals, each with whether it matches the filters. */
      scan: pageWhere([isAfter], sql`${listed}, ${ADDED_WORDS} AS added, (${MATCHES_ALL}) AS isMatch`).as(
        toScanned,
      ),
      keys: statement<Place>(sql`
        SELECT ${table.id} AS id, ${key} AS key
        FROM ${table}
        WHERE ${isAfter}
        ORDER BY ${order}
        LIMIT ${value("limit")}`),
    };
  });

const ALL_LISTS = {
  id: listsBy("id"),
  name: listsBy("name"),
  createdAt: listsBy("createdAt"),
  updatedAt: listsBy("updatedAt"),
};

const LISTS = (sortKey: SortKey) => ALL_LISTS[sortKey];

const valuesOf = (page: PetPage) => ({ ...filterValues(page), since: page.updatedSince ?? null });

/** Lists animals in one order. */
const listsInOrder = (reader: Reader, sort: PetSort, sliceKeys: number) => {
  const { client } = reader;
  const sortKey = sortKeyOf(sort);
  const lists = LISTS(sortKey)(isDescending(sort));
  const first = firstOf(sortKey);
  /** Before the first animal that an order of changed animals has. */
  const lowest = ({ updatedSince }: PetPage): Place =>
    sortKey === "updatedAt" && updatedSince !== undefined ? { id: 0, key: updatedSince } : first;
  const rangeOf = (page: PetPage, after: Position | undefined = page.after) => {
    const start = isDescending(sort) ? LAST : lowest(page);
    return { ...fromPlace(after ? placeOf(reader, after) : start), lowestKey: lowest(page).key };
  };
  const sortIds = (page: PetPage, range: object, ids: readonly number[], limit: number): ListedPet[] =>
    lists.sort.all(client, { ...valuesOf(page), ...range, ids: JSON.stringify(ids), limit });

  return {
    list: (page: PetPage): ListedPet[] => lists.page.all(client, { ...rangeOf(page), limit: page.limit }),
    /** Reads the list in order while many of its animals match the filters and have the words. */
    async scan(page: PetPage, hasWords: (searched: Searched) => boolean) {
      const filters = valuesOf(page);
      const { found, isComplete } = await scanDense(
        (last: Scanned | undefined, limit) =>
          lists.scan.all(client, { ...filters, ...rangeOf(page, last?.pet), limit }),
        (scanned) => scanned.isMatch && hasWords(scanned),
        page.limit,
        page.q === undefined ? MAX_SPARSE : MAX_SPARSE_SEARCH,
      );
      return { found: found.map(({ pet }) => pet), isComplete };
    },
    sort: (page: PetPage, ids: readonly number[]): ListedPet[] =>
      sortIds(page, rangeOf(page), ids, page.limit),
    /** Reads the keys in order, a slice at a time, and lets other requests run in between. */
    async select(page: PetPage, ids: readonly number[]): Promise<ListedPet[]> {
      const found: ListedPet[] = [];
      for (let range = rangeOf(page); ;) {
        const keys = lists.keys.all(client, { ...range, limit: sliceKeys });
        const candidates = keys.map(toId).filter((id) => hasId(ids, id));
        const missing = page.limit - found.length;
        if (candidates.length > 0) found.push(...sortIds(page, range, candidates, missing));
        const last = keys.at(-1);
        if (keys.length < sliceKeys || last === undefined || found.length === page.limit) return found;
        range = { ...range, ...fromPlace(last) };
        await nextTurn();
      }
    },
  };
};

/** True for an order whose keys a list can be read by from the first animal that it has to the last. */
const isRange = (page: PetPage): boolean =>
  !hasFilters(page) && (page.updatedSince === undefined || sortKeyOf(page.sort) === "updatedAt");

/**
 * Lists pages of animals in the order of their names or times, and in any order those that were changed since a time.
 * @param byId finds animals by their ids
 */
export const petsByKeyOrder = (
  reader: Reader,
  byId: (page: PetPage) => Pet[] | Promise<Pet[]>,
  { few = FEW, maxSorted = MAX_SORTED, sliceKeys = SLICE_KEYS } = {},
) => {
  const lookUp = wordLookup(reader);

  return async (page: PetPage): Promise<ListedPet[]> => {
    const { list, scan, sort, select } = listsInOrder(reader, page.sort, sliceKeys);
    const { q, ids, updatedSince } = page;
    if (ids) {
      const found = await byId({ ...page, sort: "id", after: undefined, limit: ids.length });
      return sort(page, found.map(toId));
    }
    const search = toSearch(q, { filters: filterTerms(page) });
    if (isRange(page) && !search) return list(page);
    const changed =
      search || updatedSince === undefined ? undefined : fewChangedIds(reader, updatedSince, few);
    if (changed) return sort(page, changed);
    const hasWords = search ? lookUp(search) : () => true;
    const { found, isComplete } = await scan(page, hasWords);
    if (isComplete) return found;
    const candidates = await candidateIds(reader, page, search);
    return candidates.length > maxSorted ? select(page, candidates) : sort(page, candidates);
  };
};
