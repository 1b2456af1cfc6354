import { and, asc, eq, gt, sql } from "drizzle-orm";
import { auditing, changesBetween } from "../db/audit.ts";
import type { Statement } from "../db/commit.ts";
import { ifGiven } from "../db/if-given.ts";
import type { Database } from "../db/open.ts";
import { projects } from "../db/schema/projects.ts";
import type { Act } from "../lib/actor.ts";
import type { Plan } from "./plan.ts";

/** A documentation project. Times are milliseconds UTC. */
export interface Project {
  id: number;
  /** The label of its address below PLATFORM_DOMAIN. Unique. */
  slug: string;
  name: string;
  plan: Plan;
  /** The label of its CNAME target. No other project ever gets it. */
  targetLabel: string;
  /** The deploy that is served; null before the first successful one. */
  activeDeployId: number | null;
  createdAt: number;
}

type NewProject = Omit<Project, "id" | "activeDeployId">;

export interface ProjectChange {
  name?: string | undefined;
  plan?: Plan | undefined;
}

/** Writes of other modules in the same atomic step. */
interface ProjectEffects {
  /** Statements to run after a change of the project: they see its new plan. */
  afterChange(projectId: number, now: number): readonly Statement[];
  beforeRemove(projectId: number): readonly Statement[];
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

const value = sql.placeholder;
const HAS_ID = eq(projects.id, value("id"));

/** `lower` folds the letters A to Z only. */
const CONTAINS_TEXT = sql`(instr(${projects.slug}, lower(${value("text")})) > 0
  or instr(lower(${projects.name}), lower(${value("text")})) > 0)`;

const projectStatements = ({ orm }: Pick<Database, "orm">) => {
  const findStatement = orm
    .select(COLUMNS)
    .from(projects)
    .where(eq(projects.slug, value("slug")))
    .limit(1)
    .prepare();
  const findByIdStatement = orm.select(COLUMNS).from(projects).where(HAS_ID).limit(1).prepare();
  const listStatement = orm
    .select(COLUMNS)
    .from(projects)
    .where(and(gt(projects.id, value("after")), ifGiven("text", CONTAINS_TEXT)))
    .orderBy(asc(projects.id))
    .limit(value("limit"))
    .prepare();
  const insertStatement = orm
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
  const updateStatement = orm
    .update(projects)
    .set({
      name: sql`coalesce(${value("name")}, ${projects.name})`,
      plan: sql`coalesce(${value("plan")}, ${projects.plan})`,
    })
    .where(HAS_ID)
    .returning(COLUMNS)
    .prepare();
  const deleteStatement = orm.delete(projects).where(HAS_ID).returning({ id: projects.id }).prepare();
  return {
    findStatement,
    findByIdStatement,
    listStatement,
    insertStatement,
    updateStatement,
    deleteStatement,
  };
};

export const projectRepository = (database: Database, effects: ProjectEffects) => {
  const { commit } = database;
  const {
    findStatement,
    findByIdStatement,
    listStatement,
    insertStatement,
    updateStatement,
    deleteStatement,
  } = projectStatements(database);
  const record = auditing(database);

  return {
    /** Stores the project in one atomic step; undefined if another project has the slug. */
    async add(project: Omit<NewProject, "createdAt">, act: Act): Promise<Project | undefined> {
      const values = { ...project, createdAt: act.now };
      const [[row]] = await commit([{ query: insertStatement, values }], ([[added]]) =>
        record(act, added && { action: "project.created", id: added.slug, label: added.name }),
      );
      return row;
    },
    async find(slug: string): Promise<Project | undefined> {
      return findStatement.get({ slug });
    },
    /** Projects with an id above `after` whose slug or name contains the text, ascending by id. */
    async list({
      text,
      ...page
    }: {
      text?: string | undefined;
      after: number;
      limit: number;
    }): Promise<Project[]> {
      return listStatement.all({ ...page, text: text ?? null });
    },
    /** Changes the present fields, with the effects of other modules; undefined if the project does not exist. */
    async change(id: number, { name, plan }: ProjectChange, act: Act): Promise<Project | undefined> {
      const values = { id, name: name ?? null, plan: plan ?? null };
      const [, [row]] = await commit(
        [
          { query: findByIdStatement, values: { id } },
          { query: updateStatement, values },
          ...effects.afterChange(id, act.now),
        ],
        ([[before], [after]]) =>
          record(
            act,
            before &&
              after && {
                action: "project.changed",
                id: after.slug,
                label: after.name,
                changes: changesBetween(before, after, ["name", "plan"]),
              },
          ),
      );
      return row;
    },
    /** Deletes the project with its deploys and domains; false if it does not exist. */
    async remove(id: number, act: Act): Promise<boolean> {
      const [[before]] = await commit(
        [
          { query: findByIdStatement, values: { id } },
          ...effects.beforeRemove(id),
          { query: deleteStatement, values: { id } },
        ],
        ([[project]]) =>
          record(act, project && { action: "project.deleted", id: project.slug, label: project.name }),
      );
      return before !== undefined;
    },
  };
};

export type ProjectRepository = ReturnType<typeof projectRepository>;
