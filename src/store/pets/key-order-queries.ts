import { setImmediate as nextTurn } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import { petNames, pets } from "../../data/db/schema/pets.ts";
import { columnsOf, statement, value } from "../../data/db/statement.ts";
import { type Search, toSearch } from "../../lib/search.ts";
import { scanDense } from "./id-order-queries.ts";
import type { FieldFilters, Pet } from "./pet.ts";
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

/** Reads the ids of all animals that match a search, a status or a category, ascending, in slices that let other requests run. */
const matchingIds = async (
  reader: Reader,
  filters: FieldFilters,
  search: Search | undefined,
): Promise<number[]> => {
  if (search) return searchedIds(reader, search, filters);
  const found: number[] = [];
  for (let after = 0; ;) {
    const slice = IDS(filters).all(reader.client, { ...filters, after });
    for (const id of slice) found.push(id);
    if (slice.length < SLICE_IDS) return found;
    after = found.at(-1) ?? after;
    await nextTurn();
  }
};

/** So many animals are sorted. If more match, the names are read in order until enough of them match. */
const MAX_SORTED = 2000;

/** As long as one of so many animals matches, the names are read in order. */
const MAX_SPARSE = 500;
/** The same for a search: names with rare signs are looked up in the index of words, one by one. */
const MAX_SPARSE_SEARCH = 50;

/** How many names are read in one turn of the event loop. */
const SLICE_NAMES = 5000;

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

type NamedRow = Row & { folded: string };
type ScannedRow = NamedRow & SearchedRow & { isMatch: number };

const LISTED = sql`${COLUMNS}, ${columnsOf(petNames, "folded")}`;

const toListed = (row: NamedRow): ListedPet => ({ ...toPet(row), folded: cutName(row.folded) });

const toScanned = (row: ScannedRow) => ({
  pet: toListed(row),
  added: row.added,
  isMatch: row.isMatch === 1,
});

type Scanned = ReturnType<typeof toScanned>;

interface Place {
  id: number;
  folded: string | Uint8Array;
}

/** Before and after every name: SQLite sorts every blob after every text. */
const FIRST: Place = { id: 0, folded: "" };
const LAST: Place = { id: 0, folded: new Uint8Array() };

const fromPlace = ({ id, folded }: Place) => ({ fromId: id, fromFolded: folded });

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
const placeOf = ({ client }: Reader, { id, folded = "" }: Position): Place => {
  const name = mayBeCut(folded) ? NAME.get(client, { id })?.folded : undefined;
  return { id, folded: name?.startsWith(folded) ? name : folded };
};

const LISTS = inDirections((isDescending, direction) => {
  const isAfter = sql`(${petNames.folded}, ${petNames.at}) ${isDescending ? sql`<` : sql`>`}
        (${value("fromFolded")}, ${value("fromId")})`;
  const order = sql`${petNames.folded} ${direction}, ${petNames.at} ${direction}`;
  const pageWhere = (conditions: SQL[], columns = LISTED) =>
    statement<NamedRow>(sql`
      SELECT ${columns}
      FROM ${petNames}
      JOIN ${pets} ON ${pets.id} = ${petNames.id}
      WHERE ${allOf(conditions)}
      ORDER BY ${order}
      LIMIT ${value("limit")}`);
  return {
    page: pageWhere([isAfter]).as(toListed),
    sort: pageWhere([isAfter, HAS_ID]).as(toListed),
    /** All animals, each with whether it matches the filters. */
    scan: pageWhere([isAfter], sql`${LISTED}, ${ADDED_WORDS} AS added, (${MATCHES_FILTERS}) AS isMatch`).as(
      toScanned,
    ),
    names: statement<{ id: number; folded: string }>(sql`
      SELECT ${columnsOf(petNames, "id", "folded")}
      FROM ${petNames}
      WHERE ${isAfter}
      ORDER BY ${order}
      LIMIT ${value("limit")}`),
  };
});

/** Lists animals in one direction of names. */
const listsInDirection = (reader: Reader, isDescending: boolean, sliceNames: number) => {
  const { client } = reader;
  const lists = LISTS(isDescending);
  const startOf = (after: Position | undefined): Place => {
    if (after) return placeOf(reader, after);
    return isDescending ? LAST : FIRST;
  };
  const sortAfter = (from: Place, ids: readonly number[], limit: number): ListedPet[] =>
    lists.sort.all(client, { ...fromPlace(from), ids: JSON.stringify(ids), limit });

  return {
    list: ({ after, limit }: PetPage): ListedPet[] =>
      lists.page.all(client, { ...fromPlace(startOf(after)), limit }),
    /** Reads the names in order while many of their animals match the filters and have the words. */
    async scan(page: PetPage, hasWords: (searched: Searched) => boolean) {
      const filters = filterValues(page);
      const { found, isComplete } = await scanDense(
        (last: Scanned | undefined, limit) =>
          lists.scan.all(client, { ...filters, ...fromPlace(startOf(last?.pet ?? page.after)), limit }),
        (scanned) => scanned.isMatch && hasWords(scanned),
        page.limit,
        page.q === undefined ? MAX_SPARSE : MAX_SPARSE_SEARCH,
      );
      return { found: found.map(({ pet }) => pet), isComplete };
    },
    sort: ({ after, limit }: PetPage, ids: readonly number[]): ListedPet[] =>
      sortAfter(startOf(after), ids, limit),
    /** Reads the names in order, a slice at a time, and lets other requests run in between. */
    async select({ after, limit }: PetPage, ids: readonly number[]): Promise<ListedPet[]> {
      const found: ListedPet[] = [];
      for (let from = startOf(after); ;) {
        const names = lists.names.all(client, { ...fromPlace(from), limit: sliceNames });
        const matching = names.map(toId).filter((id) => hasId(ids, id));
        const missing = limit - found.length;
        if (matching.length > 0) found.push(...sortAfter(from, matching.slice(0, missing), missing));
        const last = names.at(-1);
        if (names.length < sliceNames || last === undefined || found.length === limit) return found;
        from = last;
        await nextTurn();
      }
    },
  };
};

/**
 * Lists pages of animals in the order of their names.
 * @param byId finds animals by their ids
 */
export const petsByNameOrder = (
  reader: Reader,
  byId: (page: PetPage) => Pet[] | Promise<Pet[]>,
  { maxSorted = MAX_SORTED, sliceNames = SLICE_NAMES } = {},
) => {
  const ascending = listsInDirection(reader, false, sliceNames);
  const descending = listsInDirection(reader, true, sliceNames);
  const lookUp = wordLookup(reader);

  return async (page: PetPage): Promise<ListedPet[]> => {
    const { list, scan, sort, select } = page.sort === "-name" ? descending : ascending;
    const { q, ids } = page;
    if (ids) {
      const found = await byId({ ...page, sort: "id", after: undefined, limit: ids.length });
      return sort(page, found.map(toId));
    }
    const search = toSearch(q);
    if (!hasFilters(page) && !search) return list(page);
    const hasWords = search ? lookUp(search) : () => true;
    const { found, isComplete } = await scan(page, hasWords);
    if (isComplete) return found;
    const matching = await matchingIds(reader, page, search);
    return matching.length > maxSorted ? select(page, matching) : sort(page, matching);
  };
};
