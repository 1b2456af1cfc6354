import { and, asc, eq, sql } from "drizzle-orm";
import { ifGiven } from "../db/if-given.ts";
import type { Database } from "../db/open.ts";
import { domains } from "../db/schema/domains.ts";
import { projects } from "../db/schema/projects.ts";
import { unicodeOf } from "../lib/hostname.ts";
import { COLUMNS, NEEDS_ATTENTION, PENDING, toDomain, value } from "./queries.ts";
import type { StoredStage } from "./stage.ts";

export interface DomainFilters {
  /** Part of a host name, in A-labels or U-labels. */
  q?: string | undefined;
  stages?: readonly StoredStage[] | undefined;
  /** The slug of a project. */
  project?: string | undefined;
}

/** The order of the list: domains that need attention, then those that wait, then the others, each by name. */
const KEY = sql<string>`(case when ${NEEDS_ATTENTION} then '0' when ${domains.stage} in ${PENDING} then '1' else '2' end || ${domains.hostname})`;

const isListed = (placeholder: string) => sql`in (select value from json_each(${value(placeholder)}))`;

/** Reads of the domains of all projects. */
export const overviewReads = ({ orm }: Pick<Database, "orm">) => {
  const listStatement = orm
    .select({
      domain: COLUMNS,
      project: { slug: projects.slug, targetLabel: projects.targetLabel },
      id: domains.id,
      key: KEY,
    })
    .from(domains)
    .innerJoin(projects, eq(projects.id, domains.projectId))
    .where(
      and(
        ifGiven("project", eq(projects.slug, value("project"))),
        ifGiven("stages", sql`${domains.stage} ${isListed("stages")}`),
        ifGiven("ids", sql`${domains.id} ${isListed("ids")}`),
        sql`(${KEY}, ${domains.id}) > (${value("key")}, ${value("after")})`,
      ),
    )
    .orderBy(asc(KEY), asc(domains.id))
    .limit(value("limit"))
    .prepare();
  const namesStatement = orm.select({ id: domains.id, hostname: domains.hostname }).from(domains).prepare();
  // SQLite cannot decode Punycode.
  const idsOf = (q: string) => {
    const text = q.trim().normalize("NFKC").toLowerCase();
    const isMatch = (hostname: string) => hostname.includes(text) || unicodeOf(hostname).includes(text);
    return namesStatement.all().flatMap(({ id, hostname }) => (isMatch(hostname) ? [id] : []));
  };
  return {
    /** The domains behind a key and an id, in the order of their keys. */
    async overview({ q, stages, project }: DomainFilters, limit: number, { text = "", after = 0 } = {}) {
      const filters = {
        project: project ?? null,
        stages: stages ? JSON.stringify(stages) : null,
        ids: q ? JSON.stringify(idsOf(q)) : null,
      };
      return listStatement
        .all({ ...filters, key: text, after, limit })
        .map(({ domain, project, id, key }) => ({ domain: toDomain(domain), project, id, key }));
    },
  };
};
