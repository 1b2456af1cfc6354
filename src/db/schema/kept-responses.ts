import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Responses to requests with an Idempotency-Key, stored in the transaction of their write. */
export const keptResponses = sqliteTable(
  "answers",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** The API key of the request. */
    keyId: integer("key_id").notNull(),
    idempotencyKey: text("idempotency_key").notNull(),
    /** SHA-256 of method, path and body, hexadecimal. */
    fingerprint: text().notNull(),
    status: integer().notNull(),
    /** Only the headers that are specific to this response, such as its ETag: JSON. */
    headers: text().notNull(),
    /** As it was sent: JSON. */
    body: text().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    uniqueIndex("answers_by_key").on(table.keyId, table.idempotencyKey),
    // By key and, as in every index, by id, which ascends with time.
    index("answers_of_key").on(table.keyId),
  ],
);
