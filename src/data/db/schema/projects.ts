import { sql } from "drizzle-orm";
import { type AnySQLiteColumn, check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const projects = sqliteTable(
  "projects",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** The project's label below PLATFORM_DOMAIN. */
    slug: text().notNull().unique(),
    name: text().notNull(),
    plan: text({ enum: ["free", "pro", "enterprise"] }).notNull(),
    /** The label of the project's CNAME target: random, so that no other project ever has the same. */
    targetLabel: text("target_label").notNull().unique(),
    /** The deploy that is served; null before the first success. */
    activeDeployId: integer("active_deploy_id").references((): AnySQLiteColumn => deploys.id),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    // Deleting a deploy looks for the projects that serve it.
    index("projects_by_active_deploy").on(table.activeDeployId),
    check("projects_plan", sql`${table.plan} in ('free', 'pro', 'enterprise')`),
  ],
);

/** The column with the project of a row. Deleting the project deletes the row. */
export const projectReference = () =>
  integer("project_id")
    .notNull()
    .references((): AnySQLiteColumn => projects.id, { onDelete: "cascade" });

export const deploys = sqliteTable(
  "deploys",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: projectReference(),
    status: text({ enum: ["succeeded", "failed"] }).notNull(),
    /** Why it failed, for the uploader. */
    reason: text(),
    /** The blob of its manifest: a hash. */
    manifest: text(),
    files: integer().notNull(),
    /** The size of all files, unpacked. */
    bytes: integer().notNull(),
    /** The key or the person that uploaded it; both null: the service itself. */
    keyId: integer("key_id"),
    personId: integer("person_id"),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    index("deploys_by_project").on(table.projectId),
    check("deploys_status", sql`${table.status} in ('succeeded', 'failed')`),
    check("deploys_manifest", sql`(${table.manifest} is not null) = (${table.status} = 'succeeded')`),
  ],
);
