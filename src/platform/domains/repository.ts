import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { changesBetween, record } from "../../data/db/audit.ts";
import type { Database } from "../../data/db/open.ts";
import { certificates } from "../../data/db/schema/certificates.ts";
import { domainEvents, domains } from "../../data/db/schema/domains.ts";
import { projects } from "../../data/db/schema/projects.ts";
import {
  columnsBut,
  columnsOf,
  insert,
  statement,
  update,
  value,
  valuesFor,
} from "../../data/db/statement.ts";
import type { Act } from "../../lib/actor.ts";
import { unicodeOf } from "../../lib/hostname.ts";
import type { DomainFinding } from "../dns-checks/finding.ts";
import { PLANS_WITH_DOMAINS } from "../projects/plan.ts";
import type { Checkable, Domain, DomainEvent, EventName, Holder, PastActor, Role } from "./domain.ts";
import { LONGEST_WAIT_MS } from "./schedule.ts";
import { type StoredStage, FIRST_STAGE, stagesThat } from "./stage.ts";

type Row = Omit<typeof domains.$inferSelect, "trace">;

const COLUMNS = columnsBut(domains, "trace");

const toFindings = (json: string) => JSON.parse(json) as DomainFinding[];

const toDomain = (row: Row): Domain => ({ ...row, findings: toFindings(row.findings) });

export const HELD = stagesThat("isHeld");
export const WAITING = stagesThat("isWaiting");
/** The stages in which a domain waits for its records or its certificate. */
const PENDING = [...WAITING, ...stagesThat("awaitsCertificate")];
const WANTING_CERTIFICATE = stagesThat("wantsCertificate");

/** A person must act: the stage is a failure, or a live domain no longer verifies. */
const NEEDS_ATTENTION = sql`(${domains.stage} IN ${stagesThat("isFailing")} OR ${domains.failingSince} IS NOT NULL)`;

export const IS_DOMAIN = sql`${domains.id} = ${value("id")}`;
export const HAS_NAME = sql`${domains.hostname} = ${value("hostname")}`;
export const IS_OF_PROJECT = sql`${domains.projectId} = ${value("projectId")}`;
const IS_NAME_OF_PROJECT = sql`${IS_OF_PROJECT} AND ${HAS_NAME}`;
/** The project's plan has custom domains. */
export const HAS_DOMAINS_PLAN = sql`EXISTS (
    SELECT 1 FROM ${projects} WHERE ${projects.id} = ${value("projectId")} AND ${projects.plan} IN ${PLANS_WITH_DOMAINS})`;

/** The columns of a history row that come from an act. */
export const actValues = ({ actor, now }: Act) => ({
  actor: actor.kind,
  keyId: actor.kind === "key" ? actor.id : null,
  personId: actor.kind === "person" ? actor.id : null,
  actorName: "name" in actor ? actor.name : null,
  findings: "[]",
  now,
});

/** History rows for the domains that match; `event` and `stage` may be SQL over them. */
export const insertEvents = (where: SQL, event = sql`${value("event")}`, stage = sql`${value("stage")}`) =>
  statement(sql`
    ${insert(domainEvents, {
      projectId: domains.projectId,
      hostname: domains.hostname,
      at: value("now"),
      event,
      stage,
      ...valuesFor("actor", "keyId", "personId", "actorName", "findings"),
    })}
    FROM ${domains}
    WHERE ${where}
    ORDER BY ${domains.id}`);

/** The slug of a project, for the audit log. */
export const SLUG = statement<{ slug: string }>(sql`
  SELECT ${columnsOf(projects, "slug")}
  FROM ${projects}
  WHERE ${projects.id} = ${value("projectId")}`);

export interface DomainFilters {
  /** Part of a host name, in A-labels or U-labels. */
  q?: string | undefined;
  stages?: readonly StoredStage[] | undefined;
  /** The slug of a project. */
  project?: string | undefined;
}

const FIND = statement(sql`SELECT ${COLUMNS} FROM ${domains} WHERE ${IS_NAME_OF_PROJECT}`).as(toDomain);

const LIST = statement(sql`
  SELECT ${COLUMNS}
  FROM ${domains}
  WHERE ${IS_OF_PROJECT} AND ${domains.id} > ${value("after")}
  ORDER BY ${domains.id}
  LIMIT ${value("limit")}`).as(toDomain);

const TRACE = statement<Pick<typeof domains.$inferSelect, "trace">>(sql`
  SELECT ${columnsOf(domains, "trace")}
  FROM ${domains}
  WHERE ${domains.id} = ${value("id")}`);

const WITH_PROJECT = sql`${domains} JOIN ${projects} ON ${projects.id} = ${domains.projectId}`;

const CHECKABLE = sql`SELECT ${COLUMNS}, ${columnsOf(projects, "plan", "targetLabel")} FROM ${WITH_PROJECT}`;

const toCheckable = ({ plan, targetLabel, ...row }: Row & Omit<Holder, "id">): Checkable => ({
  domain: toDomain(row),
  project: { id: row.projectId, plan, targetLabel },
});

const HOLDER = statement(sql`${CHECKABLE} WHERE ${HAS_NAME} AND ${domains.stage} IN ${HELD}`).as(toCheckable);

const AWAITED = statement(sql`
  SELECT 1
  FROM ${WITH_PROJECT}
  WHERE ${HAS_NAME}
    AND ${domains.stage} IN ${WAITING}
    AND ${projects.plan} IN ${PLANS_WITH_DOMAINS}
    AND ${projects.activeDeployId} IS NOT NULL`);

const DUE = statement(sql`
  ${CHECKABLE}
  WHERE ${domains.nextCheckAt} <= ${value("now")}
  ORDER BY ${domains.nextCheckAt}, ${domains.id}
  LIMIT ${value("limit")}`).as(toCheckable);

const IS_REFUSED_FOR_RECORDS = sql`EXISTS (
      SELECT 1
      FROM ${certificates}
      WHERE ${certificates.hostname} = ${domains.hostname}
        AND json_extract(${certificates.problem}, '$.type') IN ('caa', 'records', 'records_unknown', 'platform_unready'))`;

const WATCHED = statement(sql`
  ${CHECKABLE}
  WHERE ${domains.waitingSince} > ${value("since")} AND (
    (${domains.nextCheckAt} BETWEEN ${value("now")} AND ${value("until")} AND (
      ${domains.stage} IN ${WAITING}
      OR (${domains.stage} IN ${WANTING_CERTIFICATE} AND ${domains.verifiedAt} IS NULL)))
    OR (${domains.nextCheckAt} IS NULL
      AND ${domains.stage} IN ${WANTING_CERTIFICATE}
      AND ${IS_REFUSED_FOR_RECORDS}))
  ORDER BY ${domains.waitingSince} DESC, ${domains.id} DESC
  LIMIT ${value("limit")}`).as(toCheckable);

const UNCERTIFIED = statement<Pick<Row, "hostname">>(sql`
  SELECT ${columnsOf(domains, "hostname")}
  FROM ${domains}
  WHERE ${domains.stage} IN ${WANTING_CERTIFICATE}
    AND NOT EXISTS (SELECT 1 FROM ${certificates} WHERE ${certificates.hostname} = ${domains.hostname})
  LIMIT ${value("limit")}`);

/** The order of the list: domains that need attention, then those that wait, then the others, each by name. */
const KEY = sql`(
    CASE WHEN ${NEEDS_ATTENTION} THEN '0' WHEN ${domains.stage} IN ${PENDING} THEN '1' ELSE '2' END
    || ${domains.hostname})`;

const isListed = (values: string) => sql`IN (SELECT value FROM json_each(${value(values)}))`;

type OverviewRow = Row & { slug: string; targetLabel: string; key: string };

const OVERVIEW = statement(sql`
  SELECT ${COLUMNS}, ${columnsOf(projects, "slug", "targetLabel")}, ${KEY} AS key
  FROM ${WITH_PROJECT}
  WHERE (${value("project")} IS NULL OR ${projects.slug} = ${value("project")})
    AND (${value("stages")} IS NULL OR ${domains.stage} ${isListed("stages")})
    AND (${value("ids")} IS NULL OR ${domains.id} ${isListed("ids")})
    AND (${KEY}, ${domains.id}) > (${value("key")}, ${value("after")})
  ORDER BY ${KEY}, ${domains.id}
  LIMIT ${value("limit")}`).as(({ slug, targetLabel, key, ...row }: OverviewRow) => ({
  domain: toDomain(row),
  project: { slug, targetLabel },
  id: row.id,
  key,
}));

const NAMES = statement<Pick<Row, "id" | "hostname">>(sql`
  SELECT ${columnsOf(domains, "id", "hostname")}
  FROM ${domains}`);

const FAILING = statement<Pick<Row, "hostname" | "stage" | "failingSince"> & { project: string }>(sql`
  SELECT ${columnsOf(domains, "hostname", "stage", "failingSince")}, ${projects.slug} AS project
  FROM ${WITH_PROJECT}
  WHERE ${NEEDS_ATTENTION}
  ORDER BY ${domains.id}
  LIMIT ${value("limit")}`);

/** The domains of all projects that need a person's attention. */
export const failingDomains = ({ client }: Pick<Database, "client">, limit: number) =>
  FAILING.all(client, { limit });

const domainReads = ({ client }: Pick<Database, "client">) => {
  // SQLite cannot decode Punycode.
  const idsOf = (q: string) => {
    const text = q.trim().normalize("NFKC").toLowerCase();
    const isMatch = (hostname: string) => hostname.includes(text) || unicodeOf(hostname).includes(text);
    return NAMES.all(client).flatMap(({ id, hostname }) => (isMatch(hostname) ? [id] : []));
  };
  return {
    find: async (projectId: number, hostname: string) => FIND.get(client, { projectId, hostname }),
    /** All responses to the last check, as JSON; undefined before the first. */
    trace: async (id: number) => TRACE.get(client, { id })?.trace ?? undefined,
    /** Ascending by id, starting after `after`. */
    list: async (page: { projectId: number; after: number; limit: number }) => LIST.all(client, page),
    /** The domain that holds this host name, and its project; undefined if none does. */
    holder: async (hostname: string) => HOLDER.get(client, { hostname }),
    /** True if a project that may have domains waits for the records of this name. */
    isAwaited: async (hostname: string) => AWAITED.get(client, { hostname }) !== undefined,
    /** Domains with a due check, the longest due first. */
    due: async (now: number, limit: number) => DUE.all(client, { now, limit }),
    /** Domains without a due check that began to wait after `since`, for right records or for a correction of CAA or DNSSEC. Newest first. */
    watched: async (now: number, since: number, limit: number) =>
      WATCHED.all(client, { now, until: now + LONGEST_WAIT_MS, since, limit }),
    /** Names of domains that need a certificate and have no row in `certificates` yet; at most `limit`. */
    uncertified: async (limit: number) => UNCERTIFIED.all(client, { limit }).map(({ hostname }) => hostname),
    /** The domains after a key and an id, sorted by key. */
    overview: async ({ q, stages, project }: DomainFilters, limit: number, { text = "", after = 0 } = {}) =>
      OVERVIEW.all(client, {
        project: project ?? null,
        stages: stages ? JSON.stringify(stages) : null,
        ids: q ? JSON.stringify(idsOf(q)) : null,
        key: text,
        after,
        limit,
      }),
  };
};

/** Events of one host name that a project keeps. */
export const MAX_EVENTS = 1000;

const IS_OF_HISTORY = sql`${domainEvents.projectId} = ${value("projectId")}
    AND ${domainEvents.hostname} = ${value("hostname")}`;

type EventRow = typeof domainEvents.$inferSelect;
type ActorRow = Pick<EventRow, "actor" | "keyId" | "personId" | "actorName">;

const actorOf = ({ actor, keyId, personId, actorName: name }: ActorRow): PastActor => {
  if (actor === "key" && keyId !== null) return { kind: "key", id: keyId, name };
  if (actor === "person" && personId !== null) return { kind: "person", id: personId, name };
  return { kind: actor === "operator" ? "operator" : "service" };
};

/** Removes the oldest events beyond `MAX_EVENTS`, so that repeated verification cannot fill the disk. */
export const PRUNE_EVENTS = statement(sql`
  DELETE FROM ${domainEvents}
  WHERE ${IS_OF_HISTORY}
    AND ${domainEvents.id} <= (
      SELECT ${domainEvents.id}
      FROM ${domainEvents}
      WHERE ${IS_OF_HISTORY}
      ORDER BY ${domainEvents.id} DESC
      LIMIT 1 OFFSET ${MAX_EVENTS})`);

const HISTORY = statement(sql`
  SELECT ${columnsOf(domainEvents)}
  FROM ${domainEvents}
  WHERE ${IS_OF_HISTORY} AND ${domainEvents.id} < ${value("before")}
  ORDER BY ${domainEvents.id} DESC
  LIMIT ${value("limit")}`).as(({ id, at, event, stage, findings, ...actor }: EventRow): DomainEvent => ({
  id,
  at,
  actor: actorOf(actor),
  event: event as EventName,
  stage: stage as StoredStage,
  findings: toFindings(findings),
}));

const historyReads = ({ client }: Pick<Database, "client">) => ({
  /** Newest first, below `before`. A domain's history outlives it. */
  history: async (page: { projectId: number; hostname: string; before: number; limit: number }) =>
    HISTORY.all(client, page),
});

const mine = alias(domains, "mine");

const OF_MINE = sql`FROM ${domains} AS ${mine} WHERE ${mine.projectId} = ${value("projectId")}`;

/** The new role of a domain: its own in the assignment, else that of the others. */
const NEW_ROLE = sql`coalesce(
    (SELECT value FROM json_each(${value("roles")}) WHERE key = ${domains.hostname}),
    ${value("others")},
    iif(${domains.role} = 'primary', 'served', ${domains.role}))`;

const HAS_ALL_NAMED = sql`NOT EXISTS (
    SELECT 1
    FROM json_each(${value("roles")}) AS named
    WHERE NOT EXISTS (SELECT 1 ${OF_MINE} AND ${mine.hostname} = named.key))`;

const INSERT_ROLE_EVENTS = insertEvents(
  sql`${IS_OF_PROJECT} AND ${HAS_ALL_NAMED} AND ${domains.role} <> ${NEW_ROLE}`,
  sql`'became_' || ${NEW_ROLE}`,
  sql`${domains.stage}`,
);

/** Before another becomes the primary one: the unique index looks at each row by itself. */
const RELEASE_PRIMARY = statement(sql`
  ${update(domains, { role: "served" })}
  WHERE ${IS_OF_PROJECT} AND ${HAS_ALL_NAMED} AND ${domains.role} = 'primary' AND ${NEW_ROLE} <> 'primary'`);

type RoleRow = Pick<Row, "hostname" | "role">;

const ASSIGN = statement<RoleRow>(sql`
  ${update(domains, { role: NEW_ROLE })}
  WHERE ${IS_OF_PROJECT} AND ${HAS_ALL_NAMED}
  RETURNING ${columnsOf(domains, "hostname", "role")}`);

const ROLES = statement<RoleRow>(sql`
  SELECT ${columnsOf(domains, "hostname", "role")}
  FROM ${domains}
  WHERE ${IS_OF_PROJECT}`);

const recordRoles = (act: Act, parent: string, before: readonly RoleRow[], after: readonly RoleRow[]) => {
  const roles = new Map(before.map(({ hostname, role }) => [hostname, role]));
  return after.flatMap(({ hostname: id, role }) => {
    const changes = changesBetween({ role: roles.get(id) ?? null }, { role }, ["role"]);
    return record(act, { action: "domain.changed", id, parent, changes });
  });
};

/** Which domain is the primary one, and which redirect to it. */
const roleWrites = ({ commit }: Pick<Database, "commit">) => ({
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
    const [, , , , rows] = await commit(
      [
        SLUG.with(values),
        ROLES.with(values),
        INSERT_ROLE_EVENTS.with(values),
        RELEASE_PRIMARY.with(values),
        ASSIGN.with(values),
      ],
      ([[project], before, , , after]) => (project ? recordRoles(act, project.slug, before, after) : []),
    );
    return rows.length > 0;
  },
});

/** The first domain is primary, unless it is a wildcard. Another domain can redirect only to a primary one. */
const ROLE_OF_NEW = sql`coalesce(
      iif(substr(${value("hostname")}, 1, 2) = '*.', 'served', null),
      (SELECT iif(${value("isRedirect")}, 'redirect', 'served') ${OF_MINE} AND ${mine.role} = 'primary'),
      iif(EXISTS (SELECT 1 ${OF_MINE} AND substr(${mine.hostname}, 1, 2) <> '*.'), 'served', 'primary'))`;

const INSERT = statement(sql`
  ${insert(domains, {
    projectId: projects.id,
    hostname: value("hostname"),
    stage: FIRST_STAGE,
    role: ROLE_OF_NEW,
    createdAt: value("now"),
    waitingSince: value("now"),
    nextCheckAt: value("nextCheckAt"),
    findings: "[]",
  })}
  FROM ${projects}
  WHERE ${projects.id} = ${value("projectId")}
    AND ${HAS_DOMAINS_PLAN}
    AND ${projects.activeDeployId} IS NOT NULL
    AND (SELECT count(*) ${OF_MINE}) < ${value("limit")}
    AND NOT EXISTS (SELECT 1 ${OF_MINE} AND ${mine.hostname} = ${value("hostname")})
  RETURNING ${COLUMNS}`).as(toDomain);

/** Must follow the insert directly, because `changes()` counts its rows. */
const INSERT_ADDED = insertEvents(sql`${IS_NAME_OF_PROJECT} AND changes() = 1`);

interface AddedDomain extends Pick<Row, "projectId" | "hostname" | "nextCheckAt"> {
  /** Domains that the project may have with it. */
  limit: number;
  /** True if it redirects to the primary domain, where there is one. */
  isRedirect?: boolean;
}

const additions = ({ commit }: Pick<Database, "commit">) => ({
  /**
   * Adds the host name, a project's first one as primary, in one atomic step. Undefined if the project has it already, or may
   * not have it: its plan has no custom domains, it has no deploy, or it has `limit` domains. Another project may hold it.
   */
  async add({ limit, isRedirect = false, ...domain }: AddedDomain, act: Act): Promise<Domain | undefined> {
    const values = { ...domain, isRedirect: isRedirect ? 1 : 0, ...actValues(act) };
    const [, [row]] = await commit(
      [
        SLUG.with(values),
        INSERT.with({ ...values, limit }),
        INSERT_ADDED.with({ ...values, event: "added", stage: FIRST_STAGE }),
      ],
      ([[project], [added]]) =>
        record(act, project && added && { action: "domain.added", id: added.hostname, parent: project.slug }),
    );
    return row;
  },
});

const REDIRECTS_HERE = sql`${IS_OF_PROJECT}
    AND ${domains.role} = 'redirect'
    AND EXISTS (SELECT 1 ${OF_MINE} AND ${mine.hostname} = ${value("hostname")} AND ${mine.role} = 'primary')`;

const INSERT_REMOVED = insertEvents(IS_NAME_OF_PROJECT);
const INSERT_SERVED = insertEvents(REDIRECTS_HERE, sql`'became_served'`, sql`${domains.stage}`);

const SERVE = statement<Pick<Row, "hostname">>(sql`
  ${update(domains, { role: "served" })}
  WHERE ${REDIRECTS_HERE}
  RETURNING ${columnsOf(domains, "hostname")}`);

const DELETE = statement<Pick<Row, "id">>(sql`
  DELETE FROM ${domains}
  WHERE ${IS_NAME_OF_PROJECT}
  RETURNING ${columnsOf(domains, "id")}`);

/** After the removal: unless another project holds the name, its certificate and its order go too. */
const UNCERTIFY_FREE = statement(sql`
  DELETE FROM ${certificates}
  WHERE ${certificates.hostname} = ${value("hostname")}
    AND NOT EXISTS (SELECT 1 FROM ${domains} WHERE ${HAS_NAME} AND ${domains.stage} IN ${HELD})`);

const removals = ({ commit }: Pick<Database, "commit">) => ({
  /**
   * Removes the domain in any stage. If it was the primary one, domains that redirected to it become `served`. False if the
   * project does not have it.
   */
  async remove(projectId: number, hostname: string, act: Act): Promise<boolean> {
    const values = { projectId, hostname, ...actValues(act) };
    const [, , , , rows] = await commit(
      [
        SLUG.with(values),
        INSERT_REMOVED.with({ ...values, event: "removed", stage: "removed" }),
        INSERT_SERVED.with(values),
        SERVE.with(values),
        DELETE.with(values),
        UNCERTIFY_FREE.with({ hostname }),
      ],
      ([[project], , , served, [removed]]) => {
        if (!project || !removed) return [];
        const parent = project.slug;
        const changes = [["role", "redirect", "served"]] as const;
        return [
          ...record(act, { action: "domain.removed", id: hostname, parent }),
          ...served.flatMap(({ hostname: id }) =>
            record(act, { action: "domain.changed", id, parent, changes }),
          ),
        ];
      },
    );
    return rows.length > 0;
  },
});

/** The custom domains of projects. */
export const domainRepository = (database: Pick<Database, "client" | "commit">) => ({
  ...domainReads(database),
  ...historyReads(database),
  ...additions(database),
  ...roleWrites(database),
  ...removals(database),
});

export type Domains = ReturnType<typeof domainRepository>;
