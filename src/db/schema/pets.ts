import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { int64 } from "../int64.ts";
import { revision } from "../revision.ts";

export const pets = sqliteTable(
  "pets",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull(),
    /** Select it through `exact`: a plain read rounds above 2^53. */
    categoryId: int64("category_id").notNull(),
    status: text({ enum: ["available", "pending", "sold"] }),
    createdAt: integer("created_at").notNull(),
    revision: revision(),
  },
  (table) => [
    // SQLite appends the rowid to every index, so this one serves `status = ? and id > ? order by id`.
    index("pets_by_status").on(table.status),
    index("pets_by_category").on(table.categoryId),
    index("pets_by_category_and_status").on(table.categoryId, table.status),
    check("pets_status", sql`${table.status} in ('available', 'pending', 'sold')`),
  ],
);

/**
 * The changes to animals, in order. Triggers of `pets` insert the rows in the transaction of each change, in every process.
 * The oldest rows are removed when there are too many.
 */
export const petEvents = sqliteTable(
  "pet_events",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    kind: text({ enum: ["added", "changed", "deleted"] }).notNull(),
    petId: integer("pet_id").notNull(),
  },
  (table) => [check("pet_events_kind", sql`${table.kind} in ('added', 'changed', 'deleted')`)],
);

/** Categories that have a record. An animal may be in a category without a record. */
export const categories = sqliteTable("categories", {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull(),
  /** The name for comparisons: NFKC, in lower case, one space between words. */
  folded: text().notNull().unique(),
});
