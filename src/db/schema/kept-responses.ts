import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Answers to requests that carried an Idempotency-Key, written in the transaction of what they did. */
export const answers = sqliteTable(
  "answers",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** The API key that asked. */
    keyId: integer("key_id").notNull(),
    idempotencyKey: text("idempotency_key").notNull(),
    /** SHA-256 of method, path and body, hexadecimal. */
    fingerprint: text().notNull(),
    status: integer().notNull(),
    /** Those of its own, such as its ETag: JSON. */
    headers: text().notNull(),
    /** As it was sent: JSON. */
    body: text().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    uniqueIndex("answers_by_key").on(table.keyId, table.idempotencyKey),
    // By key and, as every index is, by id: the order of time.
    index("answers_of_key").on(table.keyId),
  ],
);
