import { setImmediate as nextTurn } from "node:timers/promises";
import { type SQL, and, asc, desc, eq, or, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { petNames, pets } from "../db/schema/pets.ts";
import type { Pet } from "./pet.ts";
import {
  COLUMNS,
  HAS_ID,
  HAS_WORDS,
  IS_TYPED,
  type ListedPet,
  MATCHES_FILTERS,
  type PetPage,
  type Position,
  type Row,
  toPet,
  toSearch,
  value,
} from "./queries.ts";

/** So many animals are sorted. If more match, their names are read in order until enough match. */
const MAX_SORTED = 5000;

/** How many names are read in one turn of the event loop. */
const SLICE_NAMES = 2000;

/** The bytes of a name that a cursor holds: a cursor has at most 200 characters. */
const MAX_NAME_BYTES = 100;
const MAX_CHARACTER_BYTES = 4;

/** The beginning of a name, as long as a cursor can hold it. */
const cutName = (folded: string): string => {
  if (Buffer.byteLength(folded) <= MAX_NAME_BYTES) return folded;
  const characters = [...folded].slice(0, MAX_NAME_BYTES);
  while (Buffer.byteLength(characters.join("")) > MAX_NAME_BYTES) characters.pop();
  return characters.join("");
};

const mayBeCut = (folded: string): boolean =>
  Buffer.byteLength(folded) > MAX_NAME_BYTES - MAX_CHARACTER_BYTES;

const PLACE = sql`(${petNames.folded}, ${petNames.at})`;
const placeOf = (name: string): SQL => sql`(${value(`${name}Folded`)}, ${value(`${name}Id`)})`;

const toListed = ({ folded, ...row }: Row & { folded: string }): ListedPet => ({
  ...toPet(row),
  folded: cutName(folded),
});

interface Place {
  id: number;
  folded: string | Uint8Array;
}

/** Before and behind every name: SQLite sorts every blob behind every text. */
const FIRST: Place = { id: 0, folded: "" };
const LAST: Place = { id: 0, folded: new Uint8Array() };

const fromPlace = ({ id, folded }: Place) => ({ fromId: id, fromFolded: folded });
const untilPlace = ({ id, folded }: Place) => ({ untilId: id, untilFolded: folded });

/** Lists animals in one direction of names. */
const listsInDirection = ({ orm }: Pick<Database, "orm">, isDescending: boolean, sliceNames: number) => {
  const direction = isDescending ? desc : asc;
  const order = [direction(petNames.folded), direction(petNames.at)];
  const isBehind = isDescending ? sql`${PLACE} < ${placeOf("from")}` : sql`${PLACE} > ${placeOf("from")}`;
  const isInSlice = isDescending
    ? sql`${PLACE} >= ${placeOf("until")}`
    : sql`${PLACE} <= ${placeOf("until")}`;
  const listed = { ...COLUMNS, folded: petNames.folded };
  const sliceWhere = (condition?: SQL) =>
    orm
      .select(listed)
      .from(petNames)
      // A cross join makes SQLite read the names first.
      .crossJoin(pets)
      .where(and(isBehind, isInSlice, eq(pets.id, petNames.id), MATCHES_FILTERS, condition))
      .orderBy(...order)
      .limit(value("limit"))
      .prepare();
  const sliceStatement = sliceWhere();
  const wordsStatement = sliceWhere(or(HAS_WORDS, IS_TYPED));
  const endStatement = orm
    .select({ id: petNames.id, folded: petNames.folded })
    .from(petNames)
    .where(isBehind)
    .orderBy(...order)
    .limit(1)
    .offset(sliceNames - 1)
    .prepare();
  const sortStatement = orm
    .select(listed)
    .from(pets)
    .innerJoin(petNames, eq(petNames.id, pets.id))
    .where(and(HAS_ID, isBehind))
    .orderBy(...order)
    .limit(value("limit"))
    .prepare();
  const [start, end] = isDescending ? [LAST, FIRST] : [FIRST, LAST];
  const nameStatement = orm
    .select({ folded: petNames.folded })
    .from(petNames)
    .where(eq(petNames.id, value("id")))
    .limit(1)
    .prepare();
  const startOf = (after: Position | undefined): Place => {
    if (after === undefined) return start;
    const { id, folded = "" } = after;
    // Without its animal, a name that was cut is the closest place there is.
    const name = mayBeCut(folded) ? nameStatement.get({ id })?.folded : undefined;
    return { id, folded: name?.startsWith(folded) ? name : folded };
  };

  return {
    /** Sorts these animals. */
    sort: (ids: readonly number[], { after, limit }: PetPage): ListedPet[] =>
      sortStatement.all({ ...fromPlace(startOf(after)), ids: JSON.stringify(ids), limit }).map(toListed),
    /** Reads the names in order, a slice at a time, and lets other requests run in between. */
    async read({ after, limit, q, ...filters }: PetPage): Promise<ListedPet[]> {
      const search = toSearch(q);
      const statement = search ? wordsStatement : sliceStatement;
      const values = { ...search, status: filters.status ?? null, categoryId: filters.categoryId ?? null };
      const found: ListedPet[] = [];
      for (let from = startOf(after); ;) {
        const until = endStatement.get({ ...fromPlace(from) });
        const slice = { ...fromPlace(from), ...untilPlace(until ?? end), limit: limit - found.length };
        found.push(...statement.all({ ...values, ...slice }).map(toListed));
        if (until === undefined || found.length === limit) return found;
        from = until;
        await nextTurn();
      }
    },
  };
};

/**
 * Lists pages of animals in the order of their names.
 * @param byId finds the first animals that match
 */
export const petsByNameOrder = (
  database: Pick<Database, "orm">,
  byId: (page: PetPage) => Pet[] | Promise<Pet[]>,
  { maxSorted = MAX_SORTED, sliceNames = SLICE_NAMES } = {},
) => {
  const ascending = listsInDirection(database, false, sliceNames);
  const descending = listsInDirection(database, true, sliceNames);

  return async (page: PetPage): Promise<ListedPet[]> => {
    const { sort, read } = page.sort === "-name" ? descending : ascending;
    const { status, categoryId, q, ids } = page;
    if (ids === undefined && (status ?? categoryId ?? toSearch(q)) === undefined) return read(page);
    const matching = await byId({
      ...page,
      sort: "id",
      after: undefined,
      limit: ids?.length ?? maxSorted + 1,
    });
    if (ids === undefined && matching.length > maxSorted) return read(page);
    return sort(
      matching.map(({ id }) => id),
      page,
    );
  };
};
