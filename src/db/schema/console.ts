import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * What the console remembers for a browser: its session, and the ways to sign in that it has begun. The content is sealed with a
 * token that only the browser has, because a session of an API key needs the secret of the key.
 */
export const browserStates = sqliteTable(
  "browser_states",
  {
    /** SHA-256 of the browser's token or of the id of what it has begun, hexadecimal. */
    hash: text().primaryKey(),
    kind: text({ enum: ["session", "ceremony"] }).notNull(),
    /** Whose session it is: `key:1`, `person:1`. */
    holder: text(),
    sealed: text().notNull(),
    /** When a user was last present, to the minute. */
    usedAt: integer("used_at").notNull(),
    /** When it ends, however much it is used. */
    until: integer().notNull(),
  },
  (table) => [
    index("browser_states_by_use").on(table.kind, table.usedAt),
    check("browser_states_kind", sql`${table.kind} in ('session', 'ceremony')`),
  ],
);
