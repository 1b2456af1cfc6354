import { setImmediate as nextTurn } from "node:timers/promises";
import { and, asc, desc, eq, gt, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { petNames, pets } from "../db/schema/pets.ts";
import { type Search, toSearch } from "../lib/search.ts";
import { scanDense } from "./id-order-queries.ts";
import type { Pet } from "./pet.ts";
import {
  byFilters,
  COLUMNS,
  type Filters,
  HAS_ID,
  type ListedPet,
  petOf,
  type PetPage,
  type Position,
  type RowValues,
  value,
} from "./queries.ts";
import { ALL_IDS, typedLookup, wordLookup, wordSlices } from "./word-queries.ts";

/** Ids that are read from an index in one turn of the event loop. */
const SLICE_IDS = 10_000;

/** The ids of the animals that a search finds, ascending. */
const searchedIds = ({ orm }: Pick<Database, "orm">) => {
  const slices = wordSlices<number>(
    { orm },
    {
      prepare(matching) {
        const statement = orm
          .select({ id: pets.id })
          .from(pets)
          .where(matching)
          .orderBy(asc(pets.id))
          .prepare();
        return (values) => statement.values(values).map(([id]) => Number(id));
      },
      fromPets: (found) => found.map(({ id }) => id),
    },
    false,
  );
  const findTyped = typedLookup({ orm });

  return async (search: Search, filters: Filters): Promise<number[]> => {
    const found: number[] = [];
    for await (const ids of slices(search, { filters, bounds: ALL_IDS }))
      for (const id of ids) found.push(id);
    const [typed] = findTyped(search, filters);
    if (!typed || found.includes(typed.id)) return found;
    return [...found, typed.id].toSorted((one, other) => one - other);
  };
};

/** Reads the ids of all animals that match a search, a status or a category, ascending, in slices that let other requests run. */
const matchingIds = ({ orm }: Pick<Database, "orm">) => {
  const statementFor = byFilters((conditions) =>
    orm
      .select({ id: pets.id })
      .from(pets)
      .where(and(...conditions, gt(pets.id, value("after"))))
      .orderBy(asc(pets.id))
      .limit(SLICE_IDS)
      .prepare(),
  );
  const searchIds = searchedIds({ orm });

  return async ({ status, categoryId }: Filters, search: Search | undefined): Promise<number[]> => {
    if (search) return searchIds(search, { status, categoryId });
    const statement = statementFor({ status, categoryId });
    const found: number[] = [];
    for (let after = 0; ;) {
      const slice = statement.values({ status, categoryId, after });
      for (const [id] of slice) found.push(Number(id));
      if (slice.length < SLICE_IDS) return found;
      after = found.at(-1) ?? after;
      await nextTurn();
    }
  };
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

const toListed = ([id, name, category, status, folded]: [...RowValues, folded: string]): ListedPet => ({
  ...petOf(id, name, category, status),
  folded: cutName(folded),
});

interface Place {
  id: number;
  folded: string | Uint8Array;
}

/** Before and after every name: SQLite sorts every blob after every text. */
const FIRST: Place = { id: 0, folded: "" };
const LAST: Place = { id: 0, folded: new Uint8Array() };

const PLACE = sql`(${petNames.folded}, ${petNames.at})`;
const FROM = sql`(${value("fromFolded")}, ${value("fromId")})`;
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

const nameLookup = ({ orm }: Pick<Database, "orm">) => {
  const nameStatement = orm
    .select({ folded: petNames.folded })
    .from(petNames)
    .where(eq(petNames.id, value("id")))
    .limit(1)
    .prepare();
  /** The place of a cursor. If the name was cut and its animal was deleted, the cut name is the closest place. */
  return ({ id, folded = "" }: Position): Place => {
    const name = mayBeCut(folded) ? nameStatement.get({ id })?.folded : undefined;
    return { id, folded: name?.startsWith(folded) ? name : folded };
  };
};

/** Lists animals in one direction of names. */
const listsInDirection = ({ orm }: Pick<Database, "orm">, isDescending: boolean, sliceNames: number) => {
  const order = [petNames.folded, petNames.at].map(isDescending ? desc : asc);
  const isBehind = isDescending ? sql`${PLACE} < ${FROM}` : sql`${PLACE} > ${FROM}`;
  const pageWhere = (...conditions: (typeof HAS_ID)[]) =>
    orm
      .select({ ...COLUMNS, folded: petNames.folded })
      .from(petNames)
      .innerJoin(pets, eq(pets.id, petNames.id))
      .where(and(isBehind, ...conditions))
      .orderBy(...order)
      .limit(value("limit"))
      .prepare();
  const pageStatement = pageWhere();
  const sortStatement = pageWhere(HAS_ID);
  const namesStatement = orm
    .select({ id: petNames.id, folded: petNames.folded })
    .from(petNames)
    .where(isBehind)
    .orderBy(...order)
    .limit(sliceNames)
    .prepare();
  const findPlace = nameLookup({ orm });
  const startOf = (after: Position | undefined): Place => {
    if (after) return findPlace(after);
    return isDescending ? LAST : FIRST;
  };
  const read = (statement: typeof pageStatement, from: Place, values: { limit: number; ids?: string }) =>
    (statement.values({ ...fromPlace(from), ...values }) as [...RowValues, folded: string][]).map(toListed);
  const sortBehind = (from: Place, ids: readonly number[], limit: number): ListedPet[] =>
    read(sortStatement, from, { ids: JSON.stringify(ids), limit });
  const listBehind = (from: Place, limit: number): ListedPet[] => read(pageStatement, from, { limit });

  return {
    list: ({ after, limit }: PetPage): ListedPet[] => listBehind(startOf(after), limit),
    scan: ({ after, limit, q }: PetPage, isMatch: (pet: Pet) => boolean) =>
      scanDense(
        (behind: ListedPet | undefined, count) => listBehind(startOf(behind ?? after), count),
        isMatch,
        limit,
        q === undefined ? MAX_SPARSE : MAX_SPARSE_SEARCH,
      ),
    sort: ({ after, limit }: PetPage, ids: readonly number[]): ListedPet[] =>
      sortBehind(startOf(after), ids, limit),
    /** Reads the names in order, a slice at a time, and lets other requests run in between. */
    async select({ after, limit }: PetPage, ids: readonly number[]): Promise<ListedPet[]> {
      const found: ListedPet[] = [];
      for (let from = startOf(after); ;) {
        const names = namesStatement.values(fromPlace(from)) as [id: number, folded: string][];
        const matching = names.filter(([id]) => hasId(ids, id)).map(([id]) => id);
        const missing = limit - found.length;
        if (matching.length > 0) found.push(...sortBehind(from, matching.slice(0, missing), missing));
        const last = names.at(-1);
        if (names.length < sliceNames || last === undefined || found.length === limit) return found;
        from = { id: last[0], folded: last[1] };
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
  database: Pick<Database, "orm">,
  byId: (page: PetPage) => Pet[] | Promise<Pet[]>,
  { maxSorted = MAX_SORTED, sliceNames = SLICE_NAMES } = {},
) => {
  const ascending = listsInDirection(database, false, sliceNames);
  const descending = listsInDirection(database, true, sliceNames);
  const findMatching = matchingIds(database);
  const lookUp = wordLookup(database);

  return async (page: PetPage): Promise<ListedPet[]> => {
    const { list, scan, sort, select } = page.sort === "-name" ? descending : ascending;
    const { status, categoryId, q, ids } = page;
    if (ids) {
      const found = await byId({ ...page, sort: "id", after: undefined, limit: ids.length });
      return sort(
        page,
        found.map(({ id }) => id),
      );
    }
    const search = toSearch(q);
    if ((status ?? categoryId ?? search) === undefined) return list(page);
    const hasWords = search ? lookUp(search) : () => true;
    const { found, isComplete } = await scan(
      page,
      (pet) =>
        (status === undefined || pet.status === status) &&
        (categoryId === undefined || pet.categoryId === categoryId) &&
        hasWords(pet),
    );
    if (isComplete) return found;
    const matching = await findMatching(page, search);
    return matching.length > maxSorted ? select(page, matching) : sort(page, matching);
  };
};
