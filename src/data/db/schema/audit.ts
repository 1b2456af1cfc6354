import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Action, ResourceKind } from "../actions.ts";

/** Who did what, and when. Each row is written in the transaction of the write that it records. Old rows are removed. */
export const auditEntries = sqliteTable(
  "audit_entries",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    at: integer().notNull(),
    actor: text({ enum: ["key", "person", "operator", "service"] }).notNull(),
    /** The id and the name, at that time, of a key or a person. */
    actorId: integer("actor_id"),
    actorName: text("actor_name"),
    action: text().$type<Action>().notNull(),
    resource: text().$type<ResourceKind>().notNull(),
    /** As in the path of the resource: an id, a slug or a host name. */
    resourceId: text("resource_id").notNull(),
    /** The animal of an order, or the project of a deploy or domain. */
    parentId: text("parent_id"),
    /** A name to show. Never personal data of an adopter. */
    label: text(),
    /** The changed fields, as JSON: a list of [field, from, to]. */
    changes: text(),
  },
  (table) => [
    // By resource and, as in every index, by id, which ascends with time.
    index("audit_by_resource").on(table.resource, table.resourceId),
    index("audit_by_parent")
      .on(table.resource, table.parentId)
      .where(sql`${table.parentId} is not null`),
    check("audit_actor", sql`${table.actor} in ('key', 'person', 'operator', 'service')`),
  ],
);
