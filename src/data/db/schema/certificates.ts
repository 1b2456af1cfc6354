import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { revision } from "../columns.ts";

/**
 * The certificate of a host name, and the order in progress for it. One row per name, so that nothing is ordered twice. The
 * key of an order is stored before the order is placed, so that no certificate is issued whose key is lost.
 */
export const certificates = sqliteTable(
  "certificates",
  {
    /** In A-labels. */
    hostname: text().primaryKey(),
    /**
     * When the next step is due: ordering, polling the order, or renewing. Null: on request only. 0: before all others.
     */
    nextAt: integer("next_at"),
    /** True from a request for a certificate until an attempt begins. */
    isRequested: integer("is_requested", { mode: "boolean" }).notNull().default(false),
    /** When the current attempt began. It stays after a crash, so that the next start continues the attempt. */
    attemptSince: integer("attempt_since"),
    revision: revision(),
    /** Failed attempts since the last success. */
    failures: integer().notNull(),
    /** Why the last attempt failed, JSON. */
    problem: text(),
    /** When the name first needed a certificate. */
    createdAt: integer("created_at").notNull(),
    /** The certificate in use: PEM of its private key, and of the chain, leaf first. */
    key: text(),
    chain: text(),
    /** The directory of the CA that issued it; null: imported. */
    authority: text(),
    notBefore: integer("not_before"),
    notAfter: integer("not_after"),
    /** How many certificates the name had before this one. */
    renewals: integer().notNull(),
    /** The certificate's identifier in the CA's renewal information (RFC 9773 section 4.1). */
    ariId: text("ari_id"),
    /** The order in progress: the CA's directory, the order's URL once it is placed, and the certificate's private key. */
    orderAuthority: text("order_authority"),
    orderUrl: text("order_url"),
    orderKey: text("order_key"),
    /** The token that the CA requests below /.well-known/acme-challenge/ (RFC 8555 section 8.3), and the response. */
    token: text(),
    keyAuthorization: text("key_authorization"),
  },
  (table) => [
    index("certificates_due").on(table.nextAt),
    uniqueIndex("certificates_token").on(table.token),
    check("certificates_in_use", sql`(${table.key} is null) = (${table.chain} is null)`),
  ],
);

export const acmeAccounts = sqliteTable("acme_accounts", {
  /** The URL of the CA's directory. */
  authority: text().primaryKey(),
  /** The private key, a JWK. */
  key: text().notNull(),
  /** The account's URL; null before it is registered. */
  url: text(),
});

/** Requests to CAs, counted for their rate limits. Rows older than the longest limit's window are removed. */
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
