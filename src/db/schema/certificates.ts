import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { revision } from "../revision.ts";

/**
 * The certificate of a host name, and what is under way for it: one row a name, so that nothing is ordered twice. The key
 * of an order is written down before the order is placed, so that no certificate comes whose key is lost.
 */
export const certificates = sqliteTable(
  "certificates",
  {
    /** In A-labels. */
    hostname: text().primaryKey(),
    /**
     * When something is to be done: to order, to ask what became of it, to renew; null: when somebody asks; 0: before all
     * others.
     */
    nextAt: integer("next_at"),
    /** True from when somebody asks for a certificate until an attempt begins. */
    isRequested: integer("is_requested", { mode: "boolean" }).notNull().default(false),
    /** Since when an attempt is under way; it stays after a crash, so that the next start goes on with it. */
    attemptSince: integer("attempt_since"),
    revision: revision(),
    /** Failed attempts since the last that worked. */
    failures: integer().notNull(),
    /** Why the last attempt failed, JSON. */
    problem: text(),
    /** Since when it is wanted. */
    createdAt: integer("created_at").notNull(),
    /** In use: PEM of the private key and of the chain, leaf first. */
    key: text(),
    chain: text(),
    /** The directory of the CA that issued it; null: imported. */
    authority: text(),
    notBefore: integer("not_before"),
    notAfter: integer("not_after"),
    /** How many certificates it has had before this one. */
    renewals: integer().notNull(),
    /** Its name at the CA's renewal information (RFC 9773 section 4.1). */
    ariId: text("ari_id"),
    /** Under way: the CA's directory, the order's address once it is placed, and the key that it is for. */
    orderAuthority: text("order_authority"),
    orderUrl: text("order_url"),
    orderKey: text("order_key"),
    /** What the CA asks for below /.well-known/acme-challenge/ (RFC 8555 section 8.3), and the answer. */
    token: text(),
    keyAuthorization: text("key_authorization"),
  },
  (table) => [
    index("certificates_due").on(table.nextAt),
    uniqueIndex("certificates_token").on(table.token),
    check("certificates_in_use", sql`(${table.key} is null) = (${table.chain} is null)`),
  ],
);

/** The service's accounts with CAs. */
export const acmeAccounts = sqliteTable("acme_accounts", {
  /** The CA's directory. */
  authority: text().primaryKey(),
  /** The private key, a JWK. */
  key: text().notNull(),
  /** The account's address; null before it is registered. */
  url: text(),
});

/** What was asked of CAs, for their limits; rows older than the longest of these go. */
export const acmeAttempts = sqliteTable(
  "acme_attempts",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    authority: text().notNull(),
    kind: text({ enum: ["order", "refused", "issued"] }).notNull(),
    hostname: text().notNull(),
    /** The registered domain of the host name. */
    apex: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [
    index("acme_attempts_by_time").on(table.authority, table.at),
    check("acme_attempts_kind", sql`${table.kind} in ('order', 'refused', 'issued')`),
  ],
);
