import { and, asc, desc, eq, gt, inArray, isNotNull, lt, lte, notExists, or, sql } from "drizzle-orm";
import { ifGiven } from "../db/if-given.ts";
import type { Database } from "../db/open.ts";
import { certificates } from "../db/schema/certificates.ts";
import { domainEvents, domains } from "../db/schema/domains.ts";
import { projects } from "../db/schema/projects.ts";
import { unicodeOf } from "../lib/hostname.ts";
import { PLANS_WITH_DOMAINS } from "../projects/plan.ts";
import type { Domain, DomainEvent, EventName, Holder, PastActor } from "./domain.ts";
import {
  type Orm,
  type Row,
  COLUMNS,
  HELD,
  NEEDS_ATTENTION,
  PENDING,
  WAITING,
  WANTING_CERTIFICATE,
  isOfDomain,
  isOfProject,
  toDomain,
  toFindings,
  value,
} from "./queries.ts";
import { LONGEST_WAIT_MS } from "./schedule.ts";
import type { StoredStage } from "./stage.ts";

/** A domain, with the part of its project that a check needs. */
export interface Checkable {
  domain: Domain;
  project: Holder;
}

export interface DomainFilters {
  /** Part of a host name, in A-labels or U-labels. */
  q?: string | undefined;
  stages?: readonly StoredStage[] | undefined;
  /** The slug of a project. */
  project?: string | undefined;
}

const toCheckable = ({ domain, project }: { domain: Row; project: Holder }): Checkable => ({
  domain: toDomain(domain),
  project,
});

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
    /** Ascending by id, starting after `after`. */
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
    and json_extract(problem, '$.type') in ('caa', 'records', 'records_unknown', 'platform_unready'))`;
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
      return row && toCheckable(row);
    },
    /** True if a project that may have domains waits for the records of this name. */
    isAwaited: async (hostname: string) => waitingStatement.get({ hostname }) !== undefined,
    /** Domains with a due check, the longest due first. */
    async due(now: number, limit: number): Promise<Checkable[]> {
      return dueStatement.all({ now, limit }).map(toCheckable);
    },
    /** Domains without a due check that began to wait after `since`, for right records or for a correction of CAA or DNSSEC. Newest first. */
    async watched(now: number, since: number, limit: number): Promise<Checkable[]> {
      return watchedStatement.all({ now, until: now + LONGEST_WAIT_MS, since, limit }).map(toCheckable);
    },
    /** Names of domains that need a certificate and have no row in `certificates` yet; at most `limit`. */
    async uncertified(limit: number): Promise<string[]> {
      return uncertifiedStatement.all({ limit }).map(({ hostname }) => hostname);
    },
  };
};

/** The order of the list: domains that need attention, then those that wait, then the others, each by name. */
const KEY = sql<string>`(case when ${NEEDS_ATTENTION} then '0' when ${domains.stage} in ${PENDING} then '1' else '2' end || ${domains.hostname})`;

const isListed = (placeholder: string) => sql`in (select value from json_each(${value(placeholder)}))`;

const overviewReads = (orm: Orm) => {
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
    /** The domains after a key and an id, sorted by key. */
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

/** The domains of all projects that need a person's attention. */
export const failingDomains = ({ orm }: Pick<Database, "orm">, limit: number) =>
  orm
    .select({
      hostname: domains.hostname,
      project: projects.slug,
      stage: domains.stage,
      failingSince: domains.failingSince,
    })
    .from(domains)
    .innerJoin(projects, eq(projects.id, domains.projectId))
    .where(NEEDS_ATTENTION)
    .orderBy(asc(domains.id))
    .limit(limit)
    .all();

export const domainReads = ({ orm }: Pick<Database, "orm">) => ({
  ...ofDomain(orm),
  ...acrossProjects(orm),
  ...overviewReads(orm),
});

/** Events of one host name that a project keeps. */
export const MAX_EVENTS = 1000;

const isOfHistory = and(
  eq(domainEvents.projectId, value("projectId")),
  eq(domainEvents.hostname, value("hostname")),
);

type ActorRow = Pick<typeof domainEvents.$inferSelect, "actor" | "keyId" | "personId" | "actorName">;

const actorOf = ({ actor, keyId, personId, actorName: name }: ActorRow): PastActor => {
  if (actor === "key" && keyId !== null) return { kind: "key", id: keyId, name };
  if (actor === "person" && personId !== null) return { kind: "person", id: personId, name };
  return { kind: actor === "operator" ? "operator" : "service" };
};

/** Removes the oldest events beyond `MAX_EVENTS`, so that repeated verification cannot fill the disk. */
export const pruneStatement = (orm: Orm) =>
  orm
    .delete(domainEvents)
    .where(
      and(
        isOfHistory,
        sql`${domainEvents.id} <= (select id from domain_events where project_id = ${value("projectId")}
          and hostname = ${value("hostname")} order by id desc limit 1 offset ${MAX_EVENTS})`,
      ),
    )
    .prepare();

export const historyReads = ({ orm }: Pick<Database, "orm">) => {
  const historyStatement = orm
    .select()
    .from(domainEvents)
    .where(and(isOfHistory, lt(domainEvents.id, value("before"))))
    .orderBy(desc(domainEvents.id))
    .limit(value("limit"))
    .prepare();
  return {
    /** Newest first, below `before`. A domain's history outlives it. */
    async history(page: {
      projectId: number;
      hostname: string;
      before: number;
      limit: number;
    }): Promise<DomainEvent[]> {
      return historyStatement.all({ ...page }).map(({ id, at, event, stage, findings, ...actor }) => ({
        id,
        at,
        actor: actorOf(actor),
        event: event as EventName,
        stage: stage as StoredStage,
        findings: toFindings(findings),
      }));
    },
  };
};
