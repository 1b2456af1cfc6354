import { type Column, sql } from "drizzle-orm";
import { customType, integer } from "drizzle-orm/sqlite-core";

/** A signed 64-bit integer, a bigint in TypeScript. bun:sqlite binds it exactly; values beyond int64 would wrap. */
export const int64 = customType<{ data: bigint; driverData: bigint | string }>({
  dataType: () => "integer",
  toDriver: (value) => value,
  fromDriver: (value) => BigInt(value),
});

/** Selects an int64 column as text: bun:sqlite reads integers as doubles, which are exact to 2^53 only. */
export const exact = (column: Column) => sql`cast(${column} as text)`.mapWith((text: string) => BigInt(text));

/**
 * Counts the writes to a row: every `orm.update` of its table increments the column. A write that needs the row as it was
 * read compares this number instead of every value.
 */
export const revision = () =>
  integer()
    .notNull()
    .default(0)
    .$onUpdateFn(() => sql<number>`revision + 1`);
