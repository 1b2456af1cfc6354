import { sql } from "drizzle-orm";
import { check, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

// In every table: times are integer milliseconds UTC, and an AUTOINCREMENT id is never given out twice.

/**
 * The id of the store, in one row. Backups carry it, so that rotation removes only backups of their own store. A restored
 * database keeps its id.
 */
export const storeIdentity = sqliteTable(
  "store_identity",
  {
    /** Always 1, so that there is one row at most. */
    one: integer().primaryKey(),
    storeId: text("store_id").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [check("store_identity_one", sql`${table.one} = 1`)],
);
