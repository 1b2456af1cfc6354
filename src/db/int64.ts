import { sql, type Column } from "drizzle-orm";
import { customType } from "drizzle-orm/sqlite-core";

/** A signed 64-bit integer, a bigint in TypeScript. bun:sqlite binds it exactly; values beyond int64 would wrap. */
export const int64 = customType<{ data: bigint; driverData: bigint | string }>({
  dataType: () => "integer",
  toDriver: (value) => value,
  fromDriver: (value) => BigInt(value),
});

/** Selects an int64 column as text: bun:sqlite reads integers as doubles, which are exact to 2^53 only. */
export const exact = (column: Column) => sql`cast(${column} as text)`.mapWith((text: string) => BigInt(text));
