import { and, eq, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { domains } from "../db/schema/domains.ts";
import type { Role } from "./domain.ts";
import { type Act, actValues, insertEvents, isOfProject, value } from "./queries.ts";

/** The role that an assignment gives: the domain's own, or what becomes of the domains that are not named. */
const newRole = sql`coalesce((select value from json_each(${value("roles")}) where key = ${domains.hostname}),
  ${value("others")}, iif(${domains.role} = 'primary', 'served', ${domains.role}))`;

const hasAllNamed = sql`not exists (select 1 from json_each(${value("roles")}) named where not exists
  (select 1 from domains mine where mine.project_id = ${value("projectId")} and mine.hostname = named.key))`;

/** Which domain is the primary one, and which redirect to it. */
export const roleWrites = ({ orm, commit }: Pick<Database, "orm" | "commit">) => {
  const eventStatement = insertEvents(
    orm,
    and(isOfProject, hasAllNamed, sql`${domains.role} <> ${newRole}`),
    sql`'became_' || ${newRole}`,
    sql`${domains.stage}`,
  );
  // Before another becomes the primary one: the unique index looks at each row by itself.
  const releaseStatement = orm
    .update(domains)
    .set({ role: "served" })
    .where(and(isOfProject, hasAllNamed, eq(domains.role, "primary"), sql`${newRole} <> 'primary'`))
    .prepare();
  const assignStatement = orm
    .update(domains)
    .set({ role: newRole })
    .where(and(isOfProject, hasAllNamed))
    .returning({ id: domains.id })
    .prepare();
  return {
    /**
     * Gives each named domain its role, in one atomic step. The project's other domains keep theirs, but for a primary one that
     * is replaced, or become `served`. False, and nothing is written, unless the project has all that are named.
     */
    async assign(
      projectId: number,
      roles: Readonly<Record<string, Role>>,
      others: "keep" | "served",
      act: Act,
    ): Promise<boolean> {
      const values = {
        projectId,
        roles: JSON.stringify(roles),
        others: others === "keep" ? null : others,
        ...actValues(act),
      };
      const [, , rows] = await commit([
        { query: eventStatement, values },
        { query: releaseStatement, values },
        { query: assignStatement, values },
      ]);
      return rows.length > 0;
    },
  };
};
