import { sql } from "drizzle-orm";
import {
  type AnySQLiteColumn,
  check,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
} from "drizzle-orm/sqlite-core";

/** People who sign in to the console. A removed person keeps id and name, for the record of their acts. */
export const people = sqliteTable(
  "people",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull(),
    /** Null once the person is removed. */
    email: text(),
    /** For comparison: one person per address. */
    foldedEmail: text("folded_email").unique(),
    role: text({ enum: ["volunteer", "staff", "administrator"] }).notNull(),
    /** How authenticators know the person (WebAuthn's user handle): random, and without personal data. */
    handle: text().notNull().unique(),
    createdAt: integer("created_at").notNull(),
    lastSeenAt: integer("last_seen_at"),
    removedAt: integer("removed_at"),
  },
  (table) => [
    check("people_role", sql`${table.role} in ('volunteer', 'staff', 'administrator')`),
    check("people_email", sql`(${table.email} is null) = (${table.removedAt} is not null)`),
  ],
);

/** The column with the person of a row. Deleting the person deletes the row. */
const personReference = () =>
  integer("person_id")
    .notNull()
    .references((): AnySQLiteColumn => people.id, { onDelete: "cascade" });

/** The open invitation of a person: a new one replaces it, and accepting it deletes it. */
export const invitations = sqliteTable("invitations", {
  personId: integer("person_id")
    .primaryKey()
    .references((): AnySQLiteColumn => people.id, { onDelete: "cascade" }),
  /** SHA-256 of the token, hexadecimal. The token itself is stored nowhere. */
  hash: text().notNull().unique(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
});

export const passkeys = sqliteTable(
  "passkeys",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    personId: personReference(),
    /** Chosen by the authenticator: base64url. */
    credentialId: text("credential_id").notNull().unique(),
    /** A COSE key: base64url. */
    publicKey: text("public_key").notNull(),
    /** The authenticator's count of signatures; 0 if it does not count. */
    signCount: integer("sign_count").notNull(),
    /** How browsers reach the authenticator: a JSON list. */
    transports: text().notNull(),
    name: text().notNull(),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at"),
  },
  (table) => [index("passkeys_by_person").on(table.personId)],
);

/** Accounts of people at an OpenID Connect provider. */
export const identities = sqliteTable(
  "identities",
  {
    issuer: text().notNull(),
    subject: text().notNull(),
    personId: personReference(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.issuer, table.subject] }),
    index("identities_by_person").on(table.personId),
  ],
);
