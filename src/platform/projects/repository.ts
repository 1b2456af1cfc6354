import { sql } from "drizzle-orm";
import { record, changesBetween } from "../../data/db/audit.ts";
import type { Statement } from "../../data/db/commit.ts";
import type { Database } from "../../data/db/open.ts";
import { projects } from "../../data/db/schema/projects.ts";
import { columnsOf, insert, statement, update, value, valuesFor } from "../../data/db/statement.ts";
import type { Act } from "../../lib/actor.ts";
import type { Plan } from "./plan.ts";

/** A documentation project. */
export type Project = typeof projects.$inferSelect;

type NewProject = Pick<Project, "slug" | "name" | "plan" | "targetLabel">;

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

const HAS_ID = sql`${projects.id} = ${value("id")}`;

/** `lower` folds the letters A to Z only. */
const CONTAINS_TEXT = sql`(instr(${projects.slug}, lower(${value("text")})) > 0
    OR instr(lower(${projects.name}), lower(${value("text")})) > 0)`;

const FIND = statement<Project>(sql`
  SELECT ${columnsOf(projects)}
  FROM ${projects}
  WHERE ${projects.slug} = ${value("slug")}`);

const FIND_BY_ID = statement<Project>(sql`SELECT ${columnsOf(projects)} FROM ${projects} WHERE ${HAS_ID}`);

const LIST = statement<Project>(sql`
  SELECT ${columnsOf(projects)}
  FROM ${projects}
  WHERE ${projects.id} > ${value("after")} AND (${value("text")} IS NULL OR ${CONTAINS_TEXT})
  ORDER BY ${projects.id}
  LIMIT ${value("limit")}`);

const INSERT = statement<Project>(sql`
  ${insert(projects, valuesFor("slug", "name", "plan", "targetLabel", "createdAt"))}
  ON CONFLICT (slug) DO NOTHING
  RETURNING ${columnsOf(projects)}`);

const UPDATE = statement<Project>(sql`
  ${update(projects, {
    name: sql`coalesce(${value("name")}, ${projects.name})`,
    plan: sql`coalesce(${value("plan")}, ${projects.plan})`,
  })}
  WHERE ${HAS_ID}
  RETURNING ${columnsOf(projects)}`);

const DELETE = statement(sql`DELETE FROM ${projects} WHERE ${HAS_ID}`);

export const projectRepository = ({ client, commit }: Database, effects: ProjectEffects) => {
  return {
    /** Stores the project in one atomic step; undefined if another project has the slug. */
    async add(project: NewProject, act: Act): Promise<Project | undefined> {
      const [[row]] = await commit([INSERT.with({ ...project, createdAt: act.now })], ([[added]]) =>
        record(act, added && { action: "project.created", id: added.slug, label: added.name }),
      );
      return row;
    },
    find: async (slug: string): Promise<Project | undefined> => FIND.get(client, { slug }),
    /** Projects with an id above `after` whose slug or name contains the text, ascending by id. */
    list: async (page: { text?: string | undefined; after: number; limit: number }): Promise<Project[]> =>
      LIST.all(client, { ...page, text: page.text ?? null }),
    /** Changes the present fields, with the effects of other modules; undefined if the project does not exist. */
    async change(id: number, change: ProjectChange, act: Act): Promise<Project | undefined> {
      const { name = null, plan = null } = change;
      const [, [row]] = await commit(
        [FIND_BY_ID.with({ id }), UPDATE.with({ id, name, plan }), ...effects.afterChange(id, act.now)],
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
        [FIND_BY_ID.with({ id }), ...effects.beforeRemove(id), DELETE.with({ id })],
        ([[project]]) =>
          record(act, project && { action: "project.deleted", id: project.slug, label: project.name }),
      );
      return before !== undefined;
    },
  };
};

export type ProjectRepository = ReturnType<typeof projectRepository>;
