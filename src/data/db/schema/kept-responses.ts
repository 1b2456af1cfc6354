import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Responses to requests with an Idempotency-Key, stored in the transaction of their write. */
export const keptResponses = sqliteTable(
  "answers",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** Who sent the request: `key:1`. */
    caller: text().notNull(),
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
    uniqueIndex("answers_by_key").on(table.caller, table.idempotencyKey),
    // By caller and, as in every index, by id, which ascends with time.
    index("answers_of_caller").on(table.caller),
  ],
);
