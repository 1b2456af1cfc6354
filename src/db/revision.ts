import { sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";

/**
 * How often a row was written: a column that every `orm.update` of its table increments by itself. Whoever writes only if a
 * row is still as they read it compares this number, instead of every value.
 */
export const revision = () =>
  integer()
    .notNull()
    .default(0)
    .$onUpdateFn(() => sql<number>`revision + 1`);
