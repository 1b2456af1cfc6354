import { sql } from "drizzle-orm";
import {
  type AnySQLiteColumn,
  check,
  index,
  integer,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { int64 } from "./int64.ts";

/** Times are integer milliseconds UTC. Ids are AUTOINCREMENT: one is never given out twice. */

/**
 * The id of the store, in one row. Backups carry it, so that rotation removes only backups of their own store. A restored
 * database keeps its id.
 */
export const storeIdentity = sqliteTable(
  "store_identity",
  {
    /** Always 1, so that there is one row at most. */
    one: integer().primaryKey(),
    storeId: text("store_id").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [check("store_identity_one", sql`${table.one} = 1`)],
);

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
    index("pets_by_category").on(table.categoryId),
    index("pets_by_category_and_status").on(table.categoryId, table.status),
    check("pets_status", sql`${table.status} in ('available', 'pending', 'sold')`),
  ],
);

/**
 * What happened to animals, in the order that it happened in: triggers of `pets` write it (migration 0004), so that it is
 * in the transaction of the change, whoever makes it. The oldest go when there are too many.
 */
export const petEvents = sqliteTable(
  "pet_events",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    kind: text({ enum: ["added", "changed", "deleted"] }).notNull(),
    petId: integer("pet_id").notNull(),
  },
  (table) => [check("pet_events_kind", sql`${table.kind} in ('added', 'changed', 'deleted')`)],
);

/** Categories that have a record. An animal may name one that has none. */
export const categories = sqliteTable("categories", {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull(),
  /** The name as it is compared: NFKC, in lower case, one space between words. */
  folded: text().notNull().unique(),
});

/**
 * Whether an order of this status holds its animal. Written out: the index of open orders serves no comparison with a
 * parameter.
 */
export const isOpen = (status: AnySQLiteColumn) => sql`${status} in ('placed', 'approved')`;

/** Adoptions. */
export const orders = sqliteTable(
  "orders",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** It may be gone once the order is no longer open. */
    petId: integer("pet_id").notNull(),
    /** Both null once the adopter was forgotten, and the note with them. */
    adopterName: text("adopter_name"),
    adopterEmail: text("adopter_email"),
    note: text(),
    status: text({ enum: ["placed", "approved", "completed", "cancelled"] }).notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    // Of all who want an animal, one gets it.
    uniqueIndex("orders_open").on(table.petId).where(isOpen(table.status)),
    index("orders_by_status").on(table.status),
    index("orders_by_pet").on(table.petId),
    index("orders_by_email").on(sql`lower(${table.adopterEmail})`),
    check("orders_status", sql`${table.status} in ('placed', 'approved', 'completed', 'cancelled')`),
    check("orders_adopter", sql`(${table.adopterName} is null) = (${table.adopterEmail} is null)`),
  ],
);

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

export const projects = sqliteTable(
  "projects",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** Its label below PLATFORM_DOMAIN. */
    slug: text().notNull().unique(),
    name: text().notNull(),
    plan: text({ enum: ["free", "pro", "enterprise"] }).notNull(),
    /** The label of its CNAME target: random, so that it is never another project's. */
    targetLabel: text("target_label").notNull().unique(),
    /** The deploy that is served; null before the first that succeeds. */
    activeDeployId: integer("active_deploy_id").references((): AnySQLiteColumn => deploys.id),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [check("projects_plan", sql`${table.plan} in ('free', 'pro', 'enterprise')`)],
);

const ofProject = () =>
  integer("project_id")
    .notNull()
    .references((): AnySQLiteColumn => projects.id, { onDelete: "cascade" });

export const deploys = sqliteTable(
  "deploys",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: ofProject(),
    status: text({ enum: ["succeeded", "failed"] }).notNull(),
    /** Why it failed, for who uploaded it. */
    reason: text(),
    /** The blob of its manifest: a hash. */
    manifest: text(),
    files: integer().notNull(),
    /** Of all files, unpacked. */
    bytes: integer().notNull(),
    /** Who uploaded it; null: the service itself. */
    keyId: integer("key_id"),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    index("deploys_by_project").on(table.projectId),
    check("deploys_status", sql`${table.status} in ('succeeded', 'failed')`),
    check("deploys_manifest", sql`(${table.manifest} is not null) = (${table.status} = 'succeeded')`),
  ],
);

export const domains = sqliteTable(
  "domains",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: ofProject(),
    /** In A-labels. */
    hostname: text().notNull(),
    stage: text({
      enum: ["awaiting_dns", "dns_conflict", "verified", "issuing", "issue_failed", "live", "suspended"],
    }).notNull(),
    /** What its visitors get: the site, or a redirect to the project's primary domain. */
    role: text({ enum: ["primary", "served", "redirect"] }).notNull(),
    createdAt: integer("created_at").notNull(),
    /** Since when it waits for its records: 48 hours from then it is checked by itself. */
    waitingSince: integer("waiting_since").notNull(),
    checkedAt: integer("checked_at"),
    /** When it is checked by itself; null: on request only. */
    nextCheckAt: integer("next_check_at"),
    /** Since when a live domain no longer verifies. */
    failingSince: integer("failing_since"),
    verifiedAt: integer("verified_at"),
    liveAt: integer("live_at"),
    /** Findings of the last check, JSON. */
    findings: text().notNull(),
    /** All that the last check was answered, JSON. */
    trace: text(),
  },
  (table) => [
    uniqueIndex("domains_by_project").on(table.projectId, table.hostname),
    // Several projects may wait for a host name; one holds it.
    uniqueIndex("domains_held")
      .on(table.hostname)
      .where(sql`${table.stage} in ('verified', 'issuing', 'issue_failed', 'live', 'suspended')`),
    uniqueIndex("domains_primary")
      .on(table.projectId)
      .where(sql`${table.role} = 'primary'`),
    index("domains_due").on(table.nextCheckAt),
    check(
      "domains_stage",
      sql`${table.stage} in ('awaiting_dns', 'dns_conflict', 'verified', 'issuing', 'issue_failed', 'live', 'suspended')`,
    ),
    check("domains_role", sql`${table.role} in ('primary', 'served', 'redirect')`),
  ],
);

/** What happened to a project's domains; it outlives them, and ends with the project. */
export const domainEvents = sqliteTable(
  "domain_events",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: ofProject(),
    hostname: text().notNull(),
    at: integer().notNull(),
    /** `key`, `operator` (the command line) or `service` (by itself). */
    actor: text({ enum: ["key", "operator", "service"] }).notNull(),
    keyId: integer("key_id"),
    event: text().notNull(),
    /** The stage that it led to. */
    stage: text().notNull(),
    /** What a check found, JSON. */
    findings: text().notNull(),
  },
  (table) => [
    index("domain_events_by_name").on(table.projectId, table.hostname),
    check("domain_events_actor", sql`${table.actor} in ('key', 'operator', 'service')`),
  ],
);

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
     * When something is to be done: to order, to ask what became of it, to renew; null: when somebody asks; 0: somebody does;
     * below: an attempt is under way since that time, negated.
     */
    nextAt: integer("next_at"),
    /** Failed attempts since the last that worked. */
    failures: integer().notNull(),
    /** Why the last attempt failed, JSON. */
    problem: text(),
    /** Since when it is wanted. */
    createdAt: integer("created_at").notNull(),
    /** In use: PEM of the private key and of the chain, leaf first. */
    key: text(),
    chain: text(),
    /** The directory of the authority that issued it; null: imported. */
    authority: text(),
    notBefore: integer("not_before"),
    notAfter: integer("not_after"),
    /** How many certificates it has had before this one. */
    renewals: integer().notNull(),
    /** Its name at the authority's renewal information (RFC 9773 section 4.1). */
    ariId: text("ari_id"),
    /** Under way: the authority's directory, the order's address once it is placed, and the key that it is for. */
    orderAuthority: text("order_authority"),
    orderUrl: text("order_url"),
    orderKey: text("order_key"),
    /** What the authority asks for below /.well-known/acme-challenge/ (RFC 8555 section 8.3), and the answer. */
    token: text(),
    keyAuthorization: text("key_authorization"),
  },
  (table) => [
    index("certificates_due").on(table.nextAt),
    uniqueIndex("certificates_token").on(table.token),
    check("certificates_in_use", sql`(${table.key} is null) = (${table.chain} is null)`),
  ],
);

/** The service's accounts with certificate authorities. */
export const acmeAccounts = sqliteTable("acme_accounts", {
  /** The authority's directory. */
  authority: text().primaryKey(),
  /** The private key, a JWK. */
  key: text().notNull(),
  /** The account's address; null before it is registered. */
  url: text(),
});

/** What was asked of authorities, for their limits; rows older than the longest of these go. */
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

/**
 * Imports and how far they came, written in the transaction of the animals that they tell of: an import that ended too
 * early goes on there. A file is known by its content, not by its name.
 */
export const imports = sqliteTable(
  "imports",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** What it was called, for messages. */
    file: text().notNull(),
    /** SHA-256 of its first 64 KiB, or of all of it if it is shorter. */
    head: text().notNull(),
    /** SHA-256 of all that was read so far, and its length. */
    hash: text().notNull(),
    bytes: integer().notNull(),
    /** Rows: `read` is the sum of the other two. */
    read: integer().notNull(),
    added: integer().notNull(),
    rejected: integer().notNull(),
    /** The file of rejected rows and its length. Null for none, and where an import was begun before this was written down. */
    rejectedFile: text("rejected_file"),
    rejectedBytes: integer("rejected_bytes").notNull(),
    /** SHA-256 of so much of it. Null as above. */
    rejectedHash: text("rejected_hash"),
    startedAt: integer("started_at").notNull(),
    /** Null while there may be rows to come. */
    finishedAt: integer("finished_at"),
  },
  (table) => [
    // Of two imports of one file at a time the second fails.
    uniqueIndex("imports_under_way")
      .on(table.head)
      .where(sql`${table.finishedAt} is null`),
  ],
);
