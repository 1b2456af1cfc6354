import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const keys = sqliteTable("keys", {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull(),
  /** Space-separated scopes. */
  scopes: text().notNull(),
  /** Requests in a window of `rateSeconds`; both null: no limit. */
  rateRequests: integer("rate_requests"),
  rateSeconds: integer("rate_seconds"),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at"),
  lastUsedAt: integer("last_used_at"),
  revokedAt: integer("revoked_at"),
});

export const secrets = sqliteTable(
  "secrets",
  {
    /** SHA-256 of the secret, hexadecimal. The secret itself is stored nowhere. */
    hash: text().primaryKey(),
    keyId: integer("key_id")
      .notNull()
      .references(() => keys.id),
    prefix: text().notNull(),
    createdAt: integer("created_at").notNull(),
    /** The end of the old secret's grace time, set when the key is rotated. */
    expiresAt: integer("expires_at"),
  },
  (table) => [index("secrets_by_key").on(table.keyId)],
);
