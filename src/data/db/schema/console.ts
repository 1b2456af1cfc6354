import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Sessions of the console, sign-in links, and used challenges. A session is sealed with a token that only the browser
 * has, because the session of an API key needs the secret of the key.
 */
export const browserStates = sqliteTable(
  "browser_states",
  {
    /** SHA-256 of a token or a challenge, hexadecimal. */
    hash: text().primaryKey(),
    kind: text({ enum: ["session", "sign_in_link", "used_challenge"] }).notNull(),
    /** Whose session it is: `key:1`, `person:1`. */
    holder: text(),
    sealed: text().notNull(),
    /** The browser of a session, in words. */
    device: text(),
    openedAt: integer("opened_at"),
    /** When a user was last present, to the minute. */
    usedAt: integer("used_at").notNull(),
    /** Its end, regardless of use. */
    until: integer().notNull(),
  },
  (table) => [
    index("browser_states_by_use").on(table.kind, table.usedAt),
    check("browser_states_kind", sql`${table.kind} in ('session', 'sign_in_link', 'used_challenge')`),
  ],
);

/** The key that seals the cookies of sign-ins in progress. All processes of the store share the row. A restore replaces it. */
export const sealingKeys = sqliteTable(
  "sealing_keys",
  {
    /** Always 1, so that there is at most one row. */
    one: integer().primaryKey(),
    key: text().notNull(),
  },
  (table) => [check("sealing_keys_one", sql`${table.one} = 1`)],
);
