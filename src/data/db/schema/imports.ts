import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/**
 * Imports and their progress, stored in the transaction of their animals, so that an interrupted import can continue. A file
 * is identified by its content, not by its name.
 */
export const imports = sqliteTable(
  "imports",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** The name of the file, for messages. */
    file: text().notNull(),
    /** SHA-256 of the first 64 KiB of the file, or of the whole file if it is shorter. */
    head: text().notNull(),
    /** SHA-256 and number of the bytes read so far. */
    hash: text().notNull(),
    bytes: integer().notNull(),
    /** Numbers of rows: `read` is the sum of the other five. */
    read: integer().notNull(),
    added: integer().notNull(),
    rejected: integer().notNull(),
    /** Further rows of an animal that an earlier row of the file names. */
    repeated: integer().notNull().default(0),
    /** Rows of animals that were in the store. */
    updated: integer().notNull().default(0),
    unchanged: integer().notNull().default(0),
    /** Animals without a row. */
    absent: integer().notNull().default(0),
    /** The file of rejected rows and its length. Null without such a file, and for imports older than this column. */
    rejectedFile: text("rejected_file"),
    rejectedBytes: integer("rejected_bytes").notNull(),
    /** SHA-256 of the first `rejectedBytes` of that file. Null as above. */
    rejectedHash: text("rejected_hash"),
    /** The columns that its fields were read from, as JSON. Null for imports older than this column. */
    columns: text(),
    startedAt: integer("started_at").notNull(),
    /** Null until the import is complete. */
    finishedAt: integer("finished_at"),
    /** Null unless the import was undone. */
    undoneAt: integer("undone_at"),
  },
  (table) => [
    // Only one import of a file can be in progress.
    uniqueIndex("imports_under_way")
      .on(table.head)
      .where(sql`${table.finishedAt} is null`),
  ],
);

/** The changes of imports, to undo them. Old ones are removed. */
export const importChanges = sqliteTable(
  "import_changes",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    importId: integer("import_id")
      .notNull()
      .references(() => imports.id, { onDelete: "cascade" }),
    kind: text({ enum: ["added", "changed", "deleted"] }).notNull(),
    /** The animal, or the first of a range of added ones. */
    petId: integer("pet_id").notNull(),
    /** The last of the range: the same id for a single animal. */
    toId: integer("to_id").notNull(),
    /** The animal and its profile before the import, as JSON. Null: added. */
    before: text(),
    /** The `updated_at` of a changed animal: it has another one if it was changed since. */
    at: integer().notNull(),
  },
  (table) => [
    index("import_changes_by_import").on(table.importId),
    index("import_changes_by_pet")
      .on(table.petId)
      .where(sql`${table.toId} = ${table.petId}`),
    index("import_changes_by_range")
      .on(table.petId)
      .where(sql`${table.toId} > ${table.petId}`),
    check("import_changes_kind", sql`${table.kind} in ('added', 'changed', 'deleted')`),
  ],
);
