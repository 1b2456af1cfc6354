import { type SQL, and, eq, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { ifGiven } from "../db/if-given.ts";
import { exact } from "../db/columns.ts";
import type { Database } from "../db/open.ts";
import { pets, petsIndexed } from "../db/schema/pets.ts";
import { once } from "../lib/lazy.ts";
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

export const value = sql.placeholder;

export type Filters = Pick<PetFilters, "status" | "categoryId">;

export const HAS_STATUS = eq(pets.status, value("status"));
const IN_CATEGORY = sql`${pets.categoryId} = ${value("categoryId")}`;

/** Makes a statement for each combination of filters, when it is first needed: SQLite plans each by the index that fits. */
export const byFilters = <Made>(make: (conditions: SQL[]) => Made): ((filters: Filters) => Made) => {
  const all = once(() => make([]));
  const ofStatus = once(() => make([HAS_STATUS]));
  const ofCategory = once(() => make([IN_CATEGORY]));
  const ofBoth = once(() => make([IN_CATEGORY, HAS_STATUS]));
  return ({ status, categoryId }) => {
    if (categoryId === undefined) return status === undefined ? all() : ofStatus();
    return status === undefined ? ofCategory() : ofBoth();
  };
};

/** For few animals, which need no index of the filters: one statement for all combinations, with `filterValues`. */
export const MATCHES_FILTERS = and(ifGiven("status", HAS_STATUS), ifGiven("categoryId", IN_CATEGORY));

export const filterValues = ({ status, categoryId }: Filters) => ({
  status: status ?? null,
  categoryId: categoryId ?? null,
});

export const HAS_ID = sql`${pets.id} in (select value from json_each(${value("ids")}))`;

/** The FTS5 index of names (migration 0016), with the names that FTS5 gives its columns. */
export const words = sqliteTable("pets_words", { id: integer("rowid").notNull(), words: text("pets_words") });

/** Reads the highest id in the index of words. */
export const indexedTo = ({ orm }: Pick<Database, "orm">) => {
  const statement = orm
    .select({ id: petsIndexed.indexedTo })
    .from(petsIndexed)
    .where(eq(petsIndexed.one, 1))
    .limit(1)
    .prepare();
  return () => statement.get()?.id ?? 0;
};
