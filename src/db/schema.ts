import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { int64 } from "./int64.ts";

/** Times are integer milliseconds UTC. Ids are AUTOINCREMENT: one is never given out twice. */

export const pets = sqliteTable(
  "pets",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull(),
    /** Select it through `exact`: a plain read rounds above 2^53. */
    categoryId: int64("category_id").notNull(),
    status: text({ enum: ["available", "pending", "sold"] }),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    // SQLite appends the rowid to every index, so this one serves `status = ? and id > ? order by id`.
    index("pets_by_status").on(table.status),
    check("pets_status", sql`${table.status} in ('available', 'pending', 'sold')`),
  ],
);

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
    /** Set when the key is rotated: the end of the old secret's grace time. */
    expiresAt: integer("expires_at"),
  },
  (table) => [index("secrets_by_key").on(table.keyId)],
);
