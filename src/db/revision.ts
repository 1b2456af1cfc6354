import { sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";

/**
 * Counts the writes to a row: every `orm.update` of its table increments the column. A write that needs the row as it was
 * read compares this number instead of every value.
 */
export const revision = () =>
  integer()
    .notNull()
    .default(0)
    .$onUpdateFn(() => sql<number>`revision + 1`);
