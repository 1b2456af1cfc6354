import { sql } from "drizzle-orm";
import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

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
    /** Numbers of rows: `read` is the sum of the other two. */
    read: integer().notNull(),
    added: integer().notNull(),
    rejected: integer().notNull(),
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
  },
  (table) => [
    // Only one import of a file can be in progress.
    uniqueIndex("imports_under_way")
      .on(table.head)
      .where(sql`${table.finishedAt} is null`),
  ],
);
