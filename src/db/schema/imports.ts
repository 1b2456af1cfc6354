import { sql } from "drizzle-orm";
import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/**
 * Imports and how far they came, written in the transaction of the animals that they tell of: an import that ended too
 * early goes on there. A file is known by its content, not by its name.
 */
export const imports = sqliteTable(
  "imports",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** What it was called, for messages. */
    file: text().notNull(),
    /** SHA-256 of its first 64 KiB, or of all of it if it is shorter. */
    head: text().notNull(),
    /** SHA-256 of all that was read so far, and its length. */
    hash: text().notNull(),
    bytes: integer().notNull(),
    /** Rows: `read` is the sum of the other two. */
    read: integer().notNull(),
    added: integer().notNull(),
    rejected: integer().notNull(),
    /** The file of rejected rows and its length. Null for none, and where an import was begun before this was written down. */
    rejectedFile: text("rejected_file"),
    rejectedBytes: integer("rejected_bytes").notNull(),
    /** SHA-256 of so much of it. Null as above. */
    rejectedHash: text("rejected_hash"),
    startedAt: integer("started_at").notNull(),
    /** Null while there may be rows to come. */
    finishedAt: integer("finished_at"),
  },
  (table) => [
    // Of two imports of one file at a time the second fails.
    uniqueIndex("imports_under_way")
      .on(table.head)
      .where(sql`${table.finishedAt} is null`),
  ],
);
