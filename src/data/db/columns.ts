import { sql } from "drizzle-orm";
import { customType, integer } from "drizzle-orm/sqlite-core";

/** A signed 64-bit integer, a bigint in TypeScript. bun:sqlite binds it exactly; values beyond int64 would wrap. */
export const int64 = customType<{ data: bigint; driverData: bigint | string }>({
  dataType: () => "integer",
  toDriver: (value) => value,
  fromDriver: (value) => BigInt(value),
});

/**
 * Counts the writes to a row: every `set` of its table (statement.ts) increments the column. A write that needs the row as
 * it was read compares this number instead of every value.
 */
export const revision = () =>
  integer()
    .notNull()
    .default(0)
    .$onUpdateFn(() => sql<number>`revision + 1`);
