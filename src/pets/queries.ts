import { and, eq, gt, lte, max, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { ifGiven } from "../db/if-given.ts";
import { exact } from "../db/int64.ts";
import type { Database } from "../db/open.ts";
import { pets } from "../db/schema/pets.ts";
import { once } from "../lib/lazy.ts";
import type { Search } from "../lib/search.ts";
import { wordMatcher } from "../lib/word-matcher.ts";
import type { Pet, PetFilters, PetSort, PetStatus } from "./pet.ts";

export const COLUMNS_BUT_STATUS = { id: pets.id, name: pets.name, categoryId: exact(pets.categoryId) };
export const COLUMNS = { ...COLUMNS_BUT_STATUS, status: pets.status };

export interface Row {
  id: number;
  name: string;
  categoryId: bigint;
  status: PetStatus | null;
}

/** The columns of COLUMNS as SQLite returns them; the last is undefined for COLUMNS_BUT_STATUS. */
export type RowValues = [id: number, name: string, categoryId: string, status: PetStatus | null | undefined];

/**
 * The animal of a row that was read by `values`. Drizzle's objects take four times as long: it looks up each column's decoder
 * for each row.
 */
export const petOf = (...[id, name, category, status]: RowValues): Pet => {
  const categoryId = BigInt(category);
  return status ? { id, name, categoryId, status } : { id, name, categoryId };
};

/** Reads animals. @param status that of all of them, if the statement does not select it */
export const readPets = (
  statement: { values(values: Record<string, unknown>): unknown[][] },
  values: Record<string, unknown>,
  status?: PetStatus,
): Pet[] =>
  (statement.values(values) as RowValues[]).map(([id, name, category, stored = status]) =>
    petOf(id, name, category, stored),
  );

/** Where a page starts: behind the last animal of the page before. */
export interface Position {
  id: number;
  /** Its name with folded letters, or the beginning of a long one; only in an order by name. */
  folded?: string | undefined;
}

/** At most `limit` animals behind a position. */
export interface PetPage extends PetFilters {
  sort: PetSort;
  /** Undefined for the first page. */
  after: Position | undefined;
  limit: number;
}

/** An animal of a list; in an order by name with its name with folded letters. */
export type ListedPet = Pet & Pick<Position, "folded">;

export const value = sql.placeholder;

export const HAS_STATUS = eq(pets.status, value("status"));
export const IN_CATEGORY = sql`${pets.categoryId} = ${value("categoryId")}`;
export const MATCHES_CATEGORY = ifGiven("categoryId", IN_CATEGORY);
export const MATCHES_FILTERS = and(ifGiven("status", HAS_STATUS), MATCHES_CATEGORY);
export const HAS_ID = sql`${pets.id} in (select value from json_each(${value("ids")}))`;

/** The FTS5 index of names (migration 0016), with the names that FTS5 gives its columns. */
export const words = sqliteTable("pets_words", { id: integer("rowid"), words: text("pets_words") });

/** The animals of a slice of ids whose names match. Join them with `cross join`: then SQLite reads the words first. */
export const WORDS_IN_SLICE = and(
  sql`${words.words} match ${value("match")}`,
  gt(words.id, value("low")),
  lte(words.id, value("high")),
  eq(pets.id, words.id),
);
// Looked up for each animal: the words of a million other animals cost this search nothing.
export const HAS_WORDS = sql`exists (select 1 from pets_words where pets_words match ${value("match")} and rowid = ${pets.id})`;
export const IS_TYPED = sql`${pets.id} = ${value("typed")}`;

/** Tells whether an animal matches a search; the index is read only for what the name alone does not tell. */
export const wordLookup = ({ orm }: Pick<Database, "orm">) => {
  const lookup = once(() =>
    orm
      .select({ id: words.id })
      .from(words)
      .where(and(sql`${words.words} match ${value("match")}`, eq(words.id, value("id"))))
      .limit(1)
      .prepare(),
  );
  return ({ words: sought, match, typed }: Search) => {
    const matches = wordMatcher(sought);
    return ({ id, name }: Pick<Pet, "id" | "name">): boolean =>
      id === typed || (matches(name) ?? lookup().get({ match, id }) !== undefined);
  };
};

/** Reads the highest id; 0 without animals. */
export const newestId = ({ orm }: Pick<Database, "orm">) => {
  const newestStatement = orm
    .select({ id: max(pets.id) })
    .from(pets)
    .prepare();
  return () => newestStatement.get()?.id ?? 0;
};
