import { type SQL, and, eq, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { exact } from "../db/int64.ts";
import { pets } from "../db/schema/pets.ts";
import { ftsQuery, hasIndexedPrefixes, searchWords, typedId } from "../lib/search.ts";
import type { Pet, PetFilters, PetSort, PetStatus } from "./pet.ts";

export const COLUMNS_BUT_STATUS = { id: pets.id, name: pets.name, categoryId: exact(pets.categoryId) };
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

/** The condition, or true if the parameter is null. */
const ifGiven = (name: string, condition: SQL): SQL => sql`(${value(name)} is null or ${condition})`;

export const HAS_STATUS = eq(pets.status, value("status"));
export const IN_CATEGORY = sql`${pets.categoryId} = ${value("categoryId")}`;
export const MATCHES_CATEGORY = ifGiven("categoryId", IN_CATEGORY);
export const MATCHES_FILTERS = and(ifGiven("status", HAS_STATUS), MATCHES_CATEGORY);
export const HAS_ID = sql`${pets.id} in (select value from json_each(${value("ids")}))`;

/** The FTS5 index of names (migrations 0007 and 0015), with the names that FTS5 gives its columns. */
export const words = sqliteTable("pets_words", { id: integer("rowid"), words: text("pets_words") });

export const WORDS_MATCH = sql`${words.words} match ${value("match")}`;
// Looked up for each animal: the words of a million other animals cost this search nothing.
export const HAS_WORDS = sql`exists (select 1 from pets_words where pets_words match ${value("match")} and rowid = ${pets.id})`;
export const IS_TYPED = sql`${pets.id} = ${value("typed")}`;

/** What a search looks for. */
export interface Search {
  /** The FTS5 query. */
  match: string;
  /** The animal whose id was typed; null if the text is not an id. */
  typed: number | null;
  /** How many ids the first slice covers. */
  firstSlice: number;
}

/** Also the largest slice of a search that reads every match. */
export const FIRST_SLICE_IDS = 25_000;

/** Undefined if the text has no word: such a search finds every animal. */
export const toSearch = (q: string | undefined): Search | undefined => {
  if (q === undefined || searchWords(q)?.length === 0) return undefined;
  return {
    match: ftsQuery(q),
    typed: typedId(q) ?? null,
    // Collecting the matches of a long word takes as long for a slice as for all ids: such a search has one slice.
    firstSlice: hasIndexedPrefixes(q) ? FIRST_SLICE_IDS : Infinity,
  };
};
