import { type SQL, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Database } from "../../data/db/open.ts";
import { pets, petsIndexed } from "../../data/db/schema/pets.ts";
import { columnsOf, statement, value } from "../../data/db/statement.ts";
import type { FieldFilters, Pet, PetFilters, PetSort } from "./pet.ts";

export type Reader = Pick<Database, "client">;

export type Row = Pick<typeof pets.$inferSelect, "id" | "name" | "categoryId" | "status">;

export const COLUMNS_BUT_STATUS = columnsOf(pets, "id", "name", "categoryId");
export const COLUMNS = columnsOf(pets, "id", "name", "categoryId", "status");

/** Names each property: the rest of a row would take twice as long. */
export const toPet = ({ id, name, categoryId, status }: Row): Pet =>
  status ? { id, name, categoryId, status } : { id, name, categoryId };

/** The start of a page: after the last animal of the previous page. */
export interface Position {
  id: number;
  /** Its name with folded letters, or the beginning of a long one; only in an order by name. */
  folded?: string | undefined;
}

/** At most `limit` animals after a position. */
export interface PetPage extends PetFilters {
  sort: PetSort;
  /** Undefined for the first page. */
  after: Position | undefined;
  limit: number;
}

/** An animal of a list; in an order by name with its name with folded letters. */
export type ListedPet = Pet & Pick<Position, "folded">;

/** The condition of each filter. Lists, searches and counts take it from here. */
const CONDITIONS: Record<keyof FieldFilters, SQL> = {
  categoryId: sql`${pets.categoryId} = ${value("categoryId")}`,
  status: sql`${pets.status} = ${value("status")}`,
};

export const HAS_STATUS = CONDITIONS.status;

const FILTERS = Object.keys(CONDITIONS) as (keyof FieldFilters)[];

export const allOf = (conditions: readonly SQL[]): SQL => sql.join([...conditions], sql` AND `);

export const hasFilters = (filters: FieldFilters): boolean =>
  FILTERS.some((name) => filters[name] !== undefined);

/** Each bit of an index stands for a filter. */
const COMBINATIONS = Array.from({ length: 2 ** FILTERS.length }, (_, bits) =>
  FILTERS.filter((_name, at) => (bits & (1 << at)) !== 0).map((name) => CONDITIONS[name]),
);

/** Makes a statement for each combination of filters: SQLite plans each by the index that fits. */
export const byFilters = <Made>(make: (conditions: SQL[]) => Made): ((filters: FieldFilters) => Made) => {
  const made = COMBINATIONS.map(make);
  return (filters) => {
    const bits = FILTERS.reduce((sum, name, at) => (filters[name] === undefined ? sum : sum | (1 << at)), 0);
    return made[bits] as Made;
  };
};

/** For few animals, which need no index of the filters: one statement for all combinations, with `filterValues`. */
export const MATCHES_FILTERS = sql`
    ${allOf(FILTERS.map((name) => sql`(${value(name)} IS NULL OR ${CONDITIONS[name]})`))}`;

export const filterValues = (filters: FieldFilters) =>
  Object.fromEntries(FILTERS.map((name) => [name, filters[name] ?? null]));

export const HAS_ID = sql`${pets.id} IN (SELECT value FROM json_each(${value("ids")}))`;

/** Makes the same for ascending and for descending ids or names. */
export const inDirections = <Made>(make: (isDescending: boolean, direction: SQL) => Made) => {
  const [ascending, descending] = [make(false, sql`ASC`), make(true, sql`DESC`)];
  return (isDescending: boolean): Made => (isDescending ? descending : ascending);
};

/** The FTS5 index of names (migration 0016), with the names that FTS5 gives its columns. */
export const words = sqliteTable("pets_words", { id: integer("rowid").notNull(), words: text("pets_words") });

const INDEXED_TO = statement<{ id: number }>(sql`
  SELECT ${petsIndexed.indexedTo} AS id FROM ${petsIndexed} WHERE ${petsIndexed.one} = 1`);

/** The highest id in the index of words. */
export const indexedTo = ({ client }: Reader): number => INDEXED_TO.get(client)?.id ?? 0;
