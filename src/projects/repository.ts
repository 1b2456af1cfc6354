import { asc, eq, gt, sql } from "drizzle-orm";
import type { Statement } from "../db/commit.ts";
import type { Database } from "../db/open.ts";
import { projects } from "../db/schema/projects.ts";
import type { Plan } from "./plan.ts";

/** A documentation project. Times are milliseconds UTC. */
export interface Project {
  id: number;
  /** Its label below PLATFORM_DOMAIN; one project has it at a time. */
  slug: string;
  name: string;
  plan: Plan;
  /** The label of its CNAME target; it is never given to another project. */
  targetLabel: string;
  /** The deploy that is served; null before the first that succeeds. */
  activeDeployId: number | null;
  createdAt: number;
}

export type NewProject = Omit<Project, "id" | "activeDeployId">;

export interface ProjectChange {
  name?: string | undefined;
  plan?: Plan | undefined;
}

/** What another room writes in the same atomic step. */
export interface ProjectEffects {
  /** Behind every change of a project, with its id; the plan is the new one by then. */
  afterChange(projectId: number, now: number): readonly Statement[];
  /** Before a project is removed, with its id. */
  beforeRemove(projectId: number): readonly Statement[];
}

export interface Projects {
  /** Stores the project in one atomic step; undefined if another has the slug. */
  add(project: NewProject): Promise<Project | undefined>;
  find(slug: string): Promise<Project | undefined>;
  /** Ascending by id, from behind `after`. */
  list(page: { after: number; limit: number }): Promise<Project[]>;
  /** Changes what is named and nothing else, with its effects; undefined if there is no such project. */
  change(id: number, change: ProjectChange, now: number): Promise<Project | undefined>;
  /** Removes the project with its deploys and domains; false if there is none. */
  remove(id: number): Promise<boolean>;
}

const COLUMNS = {
  id: projects.id,
  slug: projects.slug,
  name: projects.name,
  plan: projects.plan,
  targetLabel: projects.targetLabel,
  activeDeployId: projects.activeDeployId,
  createdAt: projects.createdAt,
};

export const projectRepository = ({ orm, commit }: Database, effects: ProjectEffects): Projects => {
  const value = sql.placeholder;
  const byId = eq(projects.id, value("id"));
  const found = orm
    .select(COLUMNS)
    .from(projects)
    .where(eq(projects.slug, value("slug")))
    .limit(1)
    .prepare();
  const listed = orm
    .select(COLUMNS)
    .from(projects)
    .where(gt(projects.id, value("after")))
    .orderBy(asc(projects.id))
    .limit(value("limit"))
    .prepare();
  const inserted = orm
    .insert(projects)
    .values({
      slug: value("slug"),
      name: value("name"),
      plan: value("plan"),
      targetLabel: value("targetLabel"),
      createdAt: value("createdAt"),
    })
    .onConflictDoNothing({ target: projects.slug })
    .returning(COLUMNS)
    .prepare();
  const changed = orm
    .update(projects)
    .set({
      name: sql`coalesce(${value("name")}, ${projects.name})`,
      plan: sql`coalesce(${value("plan")}, ${projects.plan})`,
    })
    .where(byId)
    .returning(COLUMNS)
    .prepare();
  const removed = orm.delete(projects).where(byId).returning({ id: projects.id }).prepare();

  return {
    async add(project) {
      const [[row]] = await commit([{ query: inserted, values: { ...project } }]);
      return row;
    },
    async find(slug) {
      return found.get({ slug });
    },
    async list(page) {
      return listed.all({ ...page });
    },
    async change(id, { name, plan }, now) {
      const values = { id, name: name ?? null, plan: plan ?? null };
      const [[row]] = await commit([{ query: changed, values }, ...effects.afterChange(id, now)]);
      return row;
    },
    async remove(id) {
      const rows = await commit([...effects.beforeRemove(id), { query: removed, values: { id } }]);
      return (rows.at(-1) as unknown[]).length > 0;
    },
  };
};
