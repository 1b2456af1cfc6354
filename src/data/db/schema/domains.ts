import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { projectReference } from "./projects.ts";

export const domains = sqliteTable(
  "domains",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: projectReference(),
    /** In A-labels. */
    hostname: text().notNull(),
    stage: text({
      enum: ["awaiting_dns", "dns_conflict", "verified", "issuing", "issue_failed", "live", "suspended"],
    }).notNull(),
    /** The content for visitors: the site, or a redirect to the project's primary domain. */
    role: text({ enum: ["primary", "served", "redirect"] }).notNull(),
    createdAt: integer("created_at").notNull(),
    /**
     * When the domain began to wait for its records. After a suspension, later than `verifiedAt`. The service checks it for 48
     * hours from then.
     */
    waitingSince: integer("waiting_since").notNull(),
    checkedAt: integer("checked_at"),
    /** When the service checks it next; null: on request only. */
    nextCheckAt: integer("next_check_at"),
    /** When a live domain stopped verifying. */
    failingSince: integer("failing_since"),
    verifiedAt: integer("verified_at"),
    liveAt: integer("live_at"),
    /** Findings of the last check, JSON. */
    findings: text().notNull(),
    /** All DNS responses to the last check, JSON. */
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
    // Notices look up the project of a name that no project may hold.
    index("domains_by_name").on(table.hostname),
    index("domains_due").on(table.nextCheckAt),
    check(
      "domains_stage",
      sql`${table.stage} in ('awaiting_dns', 'dns_conflict', 'verified', 'issuing', 'issue_failed', 'live', 'suspended')`,
    ),
    check("domains_role", sql`${table.role} in ('primary', 'served', 'redirect')`),
  ],
);

/** The history of a project's domains. It outlives the domains, and is deleted with the project. */
export const domainEvents = sqliteTable(
  "domain_events",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: projectReference(),
    hostname: text().notNull(),
    at: integer().notNull(),
    /** `key`, `person`, `operator` (the command line) or `service` (the schedulers). */
    actor: text({ enum: ["key", "person", "operator", "service"] }).notNull(),
    keyId: integer("key_id"),
    personId: integer("person_id"),
    /** The name of the key or person at that time. Null for keys of events older than this column that no longer exist. */
    actorName: text("actor_name"),
    event: text().notNull(),
    stage: text().notNull(),
    /** The findings of a check, JSON. */
    findings: text().notNull(),
  },
  (table) => [
    index("domain_events_by_name").on(table.projectId, table.hostname),
    check("domain_events_actor", sql`${table.actor} in ('key', 'person', 'operator', 'service')`),
  ],
);
