import { sql } from "drizzle-orm";
import { check, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * The id of the store, in one row. Backups contain it, so that rotation removes only backups of the same store. A restored
 * database keeps its id.
 */
export const storeIdentity = sqliteTable(
  "store_identity",
  {
    /** Always 1, so that there is at most one row. */
    one: integer().primaryKey(),
    storeId: text("store_id").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [check("store_identity_one", sql`${table.one} = 1`)],
);
