import { setImmediate as turn } from "node:timers/promises";
import { type SQL, and, asc, eq, gt, lte, max, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { exact } from "../db/int64.ts";
import type { Database } from "../db/open.ts";
import { pets } from "../db/schema/pets.ts";
import type { Pet, PetPage, PetStatus } from "./pet.ts";
import { hasIndexedPrefixes, ftsQuery } from "./search.ts";

/** What a list filtered by status has to read. */
const OF_STATUS = { id: pets.id, name: pets.name, categoryId: exact(pets.categoryId) };
export const COLUMNS = { ...OF_STATUS, status: pets.status };

export interface Row {
  id: number;
  name: string;
  categoryId: bigint;
  status: PetStatus | null;
}

export const toPet = ({ status, ...row }: Row): Pet => (status === null ? row : { ...row, status });

const withStatus =
  (status: PetStatus) =>
  (row: Omit<Row, "status">): Pet => ({ ...row, status });

/** The index of words (migration 0004), by the names that FTS5 gives its columns. */
const words = sqliteTable("pets_words", { id: integer("rowid"), words: text("pets_words") });

const value = sql.placeholder;

/** Any value where the parameter is null. */
const ifGiven = (name: string, condition: SQL): SQL => sql`(${value(name)} is null or ${condition})`;

const BEHIND = gt(pets.id, value("after"));
const OF_ONE_STATUS = eq(pets.status, value("status"));
const OF_CATEGORY = sql`${pets.categoryId} = ${value("categoryId")}`;
const FILTERED = and(ifGiven("status", OF_ONE_STATUS), ifGiven("categoryId", OF_CATEGORY));
const AMONG = sql`${pets.id} in (select value from json_each(${value("ids")}))`;
// Each animal by itself: a word that a million others have is none of this search.
const FOUND = sql`exists (select 1 from pets_words where pets_words match ${value("match")} and rowid = ${pets.id})`;

/** Ids that the first slice of a search looks through, and the most that a later one does: each takes twice as many. */
const FIRST_SLICE = 25_000;
const MAX_SLICE = 100_000;

/** The lists, each prepared once, and each by an index whose order is that of the ids: none sorts. */
export const petLists = ({ orm }: Pick<Database, "orm">): ((page: PetPage) => Pet[] | Promise<Pet[]>) => {
  const every = (condition?: SQL) =>
    orm
      .select(COLUMNS)
      .from(pets)
      .where(and(condition, BEHIND))
      .orderBy(asc(pets.id))
      .limit(value("limit"))
      .prepare();
  // The filter says the status of every row: not to read it pays for what finding each row by the index costs.
  const everyOfStatus = (condition?: SQL) =>
    orm
      .select(OF_STATUS)
      .from(pets)
      .where(and(condition, OF_ONE_STATUS, BEHIND))
      .orderBy(asc(pets.id))
      .limit(value("limit"))
      .prepare();
  const [listed, ofCategory] = [every(), every(OF_CATEGORY)];
  const [ofStatus, ofCategoryAndStatus] = [everyOfStatus(), everyOfStatus(OF_CATEGORY)];
  const [among, foundAmong] = [every(and(AMONG, FILTERED)), every(and(AMONG, FOUND, FILTERED))];
  // A cross join, so that SQLite takes the words first.
  const found = orm
    .select(COLUMNS)
    .from(words)
    .crossJoin(pets)
    .where(
      and(
        sql`${words.words} match ${value("match")}`,
        gt(words.id, value("after")),
        lte(words.id, value("until")),
        eq(pets.id, words.id),
        FILTERED,
      ),
    )
    .orderBy(asc(words.id))
    .limit(value("limit"))
    .prepare();

  const newest = orm
    .select({ id: max(pets.id) })
    .from(pets)
    .prepare();

  /**
   * Looks slice by slice, the first of so many ids, and lets others have their turn in between: of a million animals with a
   * word, all may have another status than the one that is asked for.
   */
  const search = async (
    first: number,
    values: {
      after: number;
      limit: number;
      [name: string]: unknown;
    },
  ): Promise<Pet[]> => {
    const last = newest.get()?.id ?? 0;
    const rows: Pet[] = [];
    for (let { after } = values, slice = first; ; slice = Math.min(2 * slice, MAX_SLICE)) {
      const until = Math.min(after + slice, last);
      rows.push(...found.all({ ...values, after, until, limit: values.limit - rows.length }).map(toPet));
      if (until === last || rows.length === values.limit) return rows;
      after = until;
      await turn();
    }
  };

  return ({ status, categoryId, q, ids, ...page }) => {
    if (ids === undefined && q === undefined) {
      const values = { ...page, categoryId };
      if (status === undefined)
        return (categoryId === undefined ? listed : ofCategory).all(values).map(toPet);
      const query = categoryId === undefined ? ofStatus : ofCategoryAndStatus;
      return query.all({ ...values, status }).map(withStatus(status));
    }
    const values = { ...page, status: status ?? null, categoryId: categoryId ?? null };
    const match = q === undefined ? undefined : ftsQuery(q);
    // Gathering the matches of a long word takes as long for a slice as for all: those are not cut.
    if (q !== undefined && ids === undefined)
      return search(hasIndexedPrefixes(q) ? FIRST_SLICE : Infinity, { ...values, match });
    const given = { ...values, ids: JSON.stringify(ids) };
    if (match === undefined) return among.all(given).map(toPet);
    return foundAmong.all({ ...given, match }).map(toPet);
  };
};
