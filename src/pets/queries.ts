import { setImmediate as nextTurn } from "node:timers/promises";
import { type SQL, and, asc, count, eq, gt, lte, max, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { exact } from "../db/int64.ts";
import type { Database } from "../db/open.ts";
import { pets } from "../db/schema/pets.ts";
import type { Pet, PetFilters, PetStatus } from "./pet.ts";
import { ftsQuery, hasIndexedPrefixes } from "../lib/search.ts";

const COLUMNS_BUT_STATUS = { id: pets.id, name: pets.name, categoryId: exact(pets.categoryId) };
export const COLUMNS = { ...COLUMNS_BUT_STATUS, status: pets.status };

export interface Row {
  id: number;
  name: string;
  categoryId: bigint;
  status: PetStatus | null;
}

export const toPet = <Stored extends Row>({
  status,
  ...row
}: Stored): Omit<Stored, "status"> & Pick<Pet, "status"> => (status === null ? row : { ...row, status });

const withStatus =
  (status: PetStatus) =>
  (row: Omit<Row, "status">): Pet => ({ ...row, status });

/** Animals with an id above `after`, ascending by id, at most `limit`. */
interface PetPage extends PetFilters {
  after: number;
  limit: number;
}

/** The FTS5 index of names (migration 0004), with the names that FTS5 gives its columns. */
const words = sqliteTable("pets_words", { id: integer("rowid"), words: text("pets_words") });

const value = sql.placeholder;

/** The condition, or true if the parameter is null. */
const ifGiven = (name: string, condition: SQL): SQL => sql`(${value(name)} is null or ${condition})`;

const AFTER = gt(pets.id, value("after"));
const HAS_STATUS = eq(pets.status, value("status"));
const IN_CATEGORY = sql`${pets.categoryId} = ${value("categoryId")}`;
const MATCHES_FILTERS = and(ifGiven("status", HAS_STATUS), ifGiven("categoryId", IN_CATEGORY));
const HAS_ID = sql`${pets.id} in (select value from json_each(${value("ids")}))`;
// Looked up for each animal: the words of a million other animals cost this search nothing.
const HAS_WORDS = sql`exists (select 1 from pets_words where pets_words match ${value("match")} and rowid = ${pets.id})`;

/** How many ids the first step of a search covers. Each later step covers twice as many, up to the maximum. */
const FIRST_SLICE_IDS = 25_000;
const MAX_SLICE_IDS = 100_000;

interface SearchValues {
  after: number;
  limit: number;
  [name: string]: unknown;
}

/**
 * Searches by words, a slice of ids at a time, and lets other requests run in between: a million animals may match the words
 * but not the other filters.
 */
const petSearch = ({ orm }: Pick<Database, "orm">) => {
  // A cross join makes SQLite read the words first.
  const searchStatement = orm
    .select(COLUMNS)
    .from(words)
    .crossJoin(pets)
    .where(
      and(
        sql`${words.words} match ${value("match")}`,
        gt(words.id, value("after")),
        lte(words.id, value("until")),
        eq(pets.id, words.id),
        MATCHES_FILTERS,
      ),
    )
    .orderBy(asc(words.id))
    .limit(value("limit"))
    .prepare();
  const newestStatement = orm
    .select({ id: max(pets.id) })
    .from(pets)
    .prepare();

  return async (firstSlice: number, values: SearchValues): Promise<Pet[]> => {
    const newest = newestStatement.get()?.id ?? 0;
    const found: Pet[] = [];
    for (let { after } = values, slice = firstSlice; ; slice = Math.min(2 * slice, MAX_SLICE_IDS)) {
      const until = Math.min(after + slice, newest);
      const limit = values.limit - found.length;
      found.push(...searchStatement.all({ ...values, after, until, limit }).map(toPet));
      if (until === newest || found.length === values.limit) return found;
      after = until;
      await nextTurn();
    }
  };
};

/** Lists pages of animals. Each kind of list has its own statement and reads an index in the order of ids: none sorts. */
export const petLists = ({ orm }: Pick<Database, "orm">): ((page: PetPage) => Pet[] | Promise<Pet[]>) => {
  const listWhere = (condition?: SQL) =>
    orm
      .select(COLUMNS)
      .from(pets)
      .where(and(condition, AFTER))
      .orderBy(asc(pets.id))
      .limit(value("limit"))
      .prepare();
  // The filter already tells the status: not reading the column makes up for the lookup by index.
  const listWithStatus = (condition?: SQL) =>
    orm
      .select(COLUMNS_BUT_STATUS)
      .from(pets)
      .where(and(condition, HAS_STATUS, AFTER))
      .orderBy(asc(pets.id))
      .limit(value("limit"))
      .prepare();
  const listStatement = listWhere();
  const categoryStatement = listWhere(IN_CATEGORY);
  const statusStatement = listWithStatus();
  const categoryAndStatusStatement = listWithStatus(IN_CATEGORY);
  const idsStatement = listWhere(and(HAS_ID, MATCHES_FILTERS));
  const idsAndWordsStatement = listWhere(and(HAS_ID, HAS_WORDS, MATCHES_FILTERS));
  const search = petSearch({ orm });

  return ({ status, categoryId, q, ids, ...page }) => {
    if (ids === undefined && q === undefined) {
      const values = { ...page, categoryId };
      if (status === undefined)
        return (categoryId === undefined ? listStatement : categoryStatement).all(values).map(toPet);
      const statement = categoryId === undefined ? statusStatement : categoryAndStatusStatement;
      return statement.all({ ...values, status }).map(withStatus(status));
    }
    const values = { ...page, status: status ?? null, categoryId: categoryId ?? null };
    const match = q === undefined ? undefined : ftsQuery(q);
    // Collecting the matches of a long word takes as long for a slice as for all ids: such a search has one slice.
    if (q !== undefined && ids === undefined)
      return search(hasIndexedPrefixes(q) ? FIRST_SLICE_IDS : Infinity, { ...values, match });
    const valuesWithIds = { ...values, ids: JSON.stringify(ids) };
    if (match === undefined) return idsStatement.all(valuesWithIds).map(toPet);
    return idsAndWordsStatement.all({ ...valuesWithIds, match }).map(toPet);
  };
};

export const DAY_MS = 86_400_000;

/** How many animals of one slice of ids were added on one UTC day. */
export interface DayCounts {
  /** Days since 1970. */
  day: number;
  /** With and without a status. */
  total: number;
  available: number;
  pending: number;
  sold: number;
  /** The highest id among them. */
  lastId: number;
}

/** Counts the next `limit` animals with an id above `after` by the day on which they were added. */
export const petCounts = ({
  orm,
}: Pick<Database, "orm">): ((slice: { after: number; limit: number }) => DayCounts[]) => {
  const slice = orm
    .select({
      id: pets.id,
      status: pets.status,
      // Both are integers: SQLite drops the remainder.
      day: sql<number>`${pets.createdAt} / ${sql.raw(String(DAY_MS))}`.as("day"),
    })
    .from(pets)
    .where(AFTER)
    .orderBy(asc(pets.id))
    .limit(value("limit"))
    .as("slice");
  const countStatus = (status: PetStatus) => sql<number>`count(iif(${slice.status} = ${status}, 1, null))`;
  // Also grouping by the status, which is text, takes twice as long.
  const countStatement = orm
    .select({
      day: slice.day,
      total: count(),
      available: countStatus("available"),
      pending: countStatus("pending"),
      sold: countStatus("sold"),
      lastId: sql<number>`${max(slice.id)}`,
    })
    .from(slice)
    .groupBy(sql`${slice.day}`)
    .prepare();
  return (values) => countStatement.all(values);
};
