import { and, asc, desc, eq, gt, inArray, isNotNull, lte, notExists, or, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { certificates } from "../db/schema/certificates.ts";
import { domains } from "../db/schema/domains.ts";
import { projects } from "../db/schema/projects.ts";
import { PLANS_WITH_DOMAINS } from "../projects/plan.ts";
import type { Domain, Holder } from "./domain.ts";
import {
  WAITING,
  WANTING_CERTIFICATE,
  COLUMNS,
  HELD,
  type Orm,
  isOfDomain,
  isOfProject,
  toDomain,
  value,
} from "./queries.ts";
import { LONGEST_WAIT_MS } from "./schedule.ts";

/** A domain, with the part of its project that a check needs. */
export interface Checkable {
  domain: Domain;
  project: Holder;
}

const ofDomain = (orm: Orm) => {
  const findStatement = orm.select(COLUMNS).from(domains).where(isOfDomain).limit(1).prepare();
  const traceStatement = orm
    .select({ trace: domains.trace })
    .from(domains)
    .where(eq(domains.id, value("id")))
    .limit(1)
    .prepare();
  const listStatement = orm
    .select(COLUMNS)
    .from(domains)
    .where(and(isOfProject, gt(domains.id, value("after"))))
    .orderBy(asc(domains.id))
    .limit(value("limit"))
    .prepare();
  return {
    async find(projectId: number, hostname: string): Promise<Domain | undefined> {
      const row = findStatement.get({ projectId, hostname });
      return row && toDomain(row);
    },
    /** All responses to the last check, as JSON; undefined before the first. */
    async trace(id: number): Promise<string | undefined> {
      return traceStatement.get({ id })?.trace ?? undefined;
    },
    /** Ascending by id, behind `after`. */
    async list(page: { projectId: number; after: number; limit: number }): Promise<Domain[]> {
      return listStatement.all({ ...page }).map(toDomain);
    },
  };
};

const withProject = (orm: Orm) =>
  orm
    .select({
      domain: COLUMNS,
      project: { id: projects.id, plan: projects.plan, targetLabel: projects.targetLabel },
    })
    .from(domains)
    .innerJoin(projects, eq(projects.id, domains.projectId));

const acrossProjects = (orm: Orm) => {
  const holderStatement = withProject(orm)
    .where(and(eq(domains.hostname, value("hostname")), sql`${domains.stage} in ${HELD}`))
    .limit(1)
    .prepare();
  const waitingStatement = orm
    .select({ one: sql`1` })
    .from(domains)
    .innerJoin(projects, eq(projects.id, domains.projectId))
    .where(
      and(
        eq(domains.hostname, value("hostname")),
        sql`${domains.stage} in ${WAITING}`,
        inArray(projects.plan, [...PLANS_WITH_DOMAINS]),
        isNotNull(projects.activeDeployId),
      ),
    )
    .limit(1)
    .prepare();
  const dueStatement = withProject(orm)
    .where(lte(domains.nextCheckAt, value("now")))
    .orderBy(asc(domains.nextCheckAt), asc(domains.id))
    .limit(value("limit"))
    .prepare();
  const isRefusedForRecords = sql`exists (select 1 from certificates where hostname = ${domains.hostname}
    and json_extract(problem, '$.type') in ('caa', 'records', 'platform_unready'))`;
  const watchedStatement = withProject(orm)
    .where(
      and(
        or(
          sql`${domains.nextCheckAt} between ${value("now")} and ${value("until")}
            and (${domains.stage} in ${WAITING} or (${domains.stage} in ${WANTING_CERTIFICATE} and ${domains.verifiedAt} is null))`,
          sql`${domains.nextCheckAt} is null and ${domains.stage} in ${WANTING_CERTIFICATE} and ${isRefusedForRecords}`,
        ),
        gt(domains.waitingSince, value("since")),
      ),
    )
    .orderBy(desc(domains.waitingSince), desc(domains.id))
    .limit(value("limit"))
    .prepare();
  const certificateOfName = orm
    .select({ one: sql`1` })
    .from(certificates)
    .where(eq(certificates.hostname, domains.hostname));
  const uncertifiedStatement = orm
    .select({ hostname: domains.hostname })
    .from(domains)
    .where(and(sql`${domains.stage} in ${WANTING_CERTIFICATE}`, notExists(certificateOfName)))
    .limit(value("limit"))
    .prepare();
  return {
    /** The domain that holds this host name, and its project; undefined if none does. */
    async holder(hostname: string): Promise<Checkable | undefined> {
      const row = holderStatement.get({ hostname });
      return row && { domain: toDomain(row.domain), project: row.project };
    },
    /** True if a project that may have domains waits for the records of this name. */
    isAwaited: async (hostname: string) => waitingStatement.get({ hostname }) !== undefined,
    /** Domains with a due check, the longest due first. */
    async due(now: number, limit: number): Promise<Checkable[]> {
      return dueStatement
        .all({ now, limit })
        .map(({ domain, project }) => ({ domain: toDomain(domain), project }));
    },
    /** Domains without a due check that began to wait after `since`, for right records or for a correction of CAA or DNSSEC. Newest first. */
    async watched(now: number, since: number, limit: number): Promise<Checkable[]> {
      return watchedStatement
        .all({ now, until: now + LONGEST_WAIT_MS, since, limit })
        .map(({ domain, project }) => ({ domain: toDomain(domain), project }));
    },
    /** Names of domains that need a certificate and have no row in `certificates` yet; at most `limit`. */
    async uncertified(limit: number): Promise<string[]> {
      return uncertifiedStatement.all({ limit }).map(({ hostname }) => hostname);
    },
  };
};

export const domainReads = ({ orm }: Pick<Database, "orm">) => ({
  ...ofDomain(orm),
  ...acrossProjects(orm),
});
