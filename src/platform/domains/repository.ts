import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { changesBetween, record } from "../../data/db/audit.ts";
import type { Statement } from "../../data/db/commit.ts";
import type { Database } from "../../data/db/open.ts";
import { certificates } from "../../data/db/schema/certificates.ts";
import { domains } from "../../data/db/schema/domains.ts";
import { projects } from "../../data/db/schema/projects.ts";
import { columnsOf, insert, statement, update, value, valuesFor } from "../../data/db/statement.ts";
import { type Act, SERVICE } from "../../lib/actor.ts";
import type { DomainFinding } from "../dns-checks/finding.ts";
import { type Progress, nextLiveCheck, WAITING_MS } from "./schedule.ts";
import {
  type Domain,
  type EventName,
  type Role,
  type Stage,
  awaitsCertificate,
  FIRST_STAGE,
  isHeld,
} from "./stage.ts";
import {
  type MoveValues,
  type Row,
  actValues,
  COLUMNS,
  domainReads,
  HAS_DOMAINS_PLAN,
  HAS_NAME,
  HELD,
  historyReads,
  insertEvents,
  IS_DOMAIN,
  IS_NAME_OF_PROJECT,
  IS_OF_PROJECT,
  KEEPING,
  moveBy,
  NEXT_CHECK_OF_LIVE,
  PRUNE_EVENTS,
  SLUG,
  toDomain,
  WAITING,
} from "./read-repository.ts";

/** The result of a check, and the state that it gives the domain that was read before. */
export interface Check extends Act {
  domain: Domain;
  progress: Omit<Progress, "events">;
  /** For the history, each with the stage after it. */
  events: readonly { event: EventName; stage: Stage }[];
  findings: readonly DomainFinding[];
  /** All responses, as JSON. */
  trace: string;
  /** True if the records name this project's target. */
  isProven: boolean;
  /** The labels of other projects' targets in the TXT records. */
  rivals: readonly string[];
  /** When the check began: a holder that has verified since then keeps the name. */
  askedAt: number;
}

/** The domain is still in the stage in which its check began. */
const IS_AS_READ = sql`${IS_DOMAIN} AND ${domains.stage} = ${value("from")}`;

const other = alias(domains, "other");

/**
 * Another project holds the name and keeps it against a proof: the TXT records name it too, or it has verified since the
 * check began. A suspended project keeps nothing.
 */
const IS_KEPT_BY_OTHER = sql`EXISTS (
    SELECT 1
    FROM ${domains} AS ${other}
    JOIN ${projects} ON ${projects.id} = ${other.projectId}
    WHERE ${other.hostname} = ${value("hostname")}
      AND ${other.stage} IN ${HELD}
      AND ${other.stage} IN ${KEEPING}
      AND ${other.projectId} <> ${value("projectId")}
      AND (${other.verifiedAt} >= ${value("askedAt")}
        OR ${projects.targetLabel} IN (SELECT value FROM json_each(${value("rivals")}))))`;

/** The new stage holds no name, or the domain already holds it, or the check proves it for this project. */
const MAY_TAKE = sql`(${value("stage")} NOT IN ${HELD}
    OR (${HAS_DOMAINS_PLAN} AND (${value("from")} IN ${HELD} OR (${value("isProven")} AND NOT ${IS_KEPT_BY_OTHER}))))`;

// `stage` is the stage after the check, `eventStage` the stage after one of its events.
const INSERT_EVENT = insertEvents(
  sql`${IS_AS_READ} AND ${MAY_TAKE}`,
  sql`${value("event")}`,
  sql`${value("eventStage")}`,
);

const UPDATE = statement<{ id: number }>(sql`
  ${update(domains, {
    checkedAt: value("now"),
    ...valuesFor("stage", "waitingSince", "nextCheckAt", "failingSince", "verifiedAt", "liveAt"),
    ...valuesFor("findings", "trace"),
  })}
  WHERE ${IS_AS_READ} AND ${MAY_TAKE}
  RETURNING ${domains.id} AS id`);

const STOP_CHECKS = statement(sql`
  ${update(domains, { nextCheckAt: null })}
  WHERE ${IS_AS_READ} AND NOT ${HAS_DOMAINS_PLAN}`);

/** A domain that has just verified, and whose name has a valid certificate already, is live. */
const goLiveIfCertified = moveBy(
  "certificate_stored",
  sql`${IS_DOMAIN} AND EXISTS (
    SELECT 1
    FROM ${certificates}
    WHERE ${certificates.hostname} = ${value("hostname")}
      AND ${certificates.notBefore} <= ${value("now")}
      AND ${certificates.notAfter} > ${value("now")})`,
  { liveAt: value("now"), nextCheckAt: NEXT_CHECK_OF_LIVE },
);

const mine = alias(domains, "mine");

// Without scheduled checks: two projects must not take the name from each other in turn.
const moveYielded = moveBy(
  "yielded",
  sql`${HAS_NAME}
    AND ${domains.projectId} <> ${value("projectId")}
    AND EXISTS (
      SELECT 1 FROM ${domains} AS ${mine} WHERE ${mine.id} = ${value("id")} AND ${mine.stage} = ${value("from")})
    AND ${MAY_TAKE}`,
  { waitingSince: value("now"), nextCheckAt: null, failingSince: null, findings: value("findings") },
);

/** Must follow the move directly, because `changes()` counts its rows. */
const UNCERTIFY_YIELDED = statement(sql`
  DELETE FROM ${certificates}
  WHERE ${certificates.hostname} = ${value("hostname")} AND changes() > 0`);

/** Takes the name from the project that held it, with its certificate and any order under way. */
const yieldName = (hostname: string, values: MoveValues): readonly Statement[] => {
  const findings = JSON.stringify([{ kind: "domain_lost", name: hostname } satisfies DomainFinding]);
  return [
    ...moveYielded({ ...values, ...actValues({ actor: SERVICE, now: values.now }), findings }),
    UNCERTIFY_YIELDED.with({ hostname }),
  ];
};

const hasRows = (rows: unknown): boolean => Array.isArray(rows) && rows.length > 0;

/** Records a requested check that changed the stage. The schedulers' are in the domain's history. */
const recordCheck = ({ actor, now, domain, progress }: Check, slug: string): readonly Statement[] => {
  const { stage: from, hostname: id } = domain;
  if (actor.kind === "service") return [];
  const changes = changesBetween({ stage: from }, progress, ["stage"]);
  return record({ actor, now }, { action: "domain.checked", id, parent: slug, changes });
};

const checkWrites = ({ commit }: Pick<Database, "commit">) => ({
  /**
   * Stores a check in one atomic step, if the domain is still in the stage that it was read in. A stage that holds the host
   * name is taken only if the project's plan has custom domains and the records prove that the name is this project's.
   * Another project that holds it loses it then, with its certificate, unless the TXT records name that project too, or it
   * has verified since this check began; a suspended one always loses it. False if nothing was written.
   */
  async record(check: Check): Promise<boolean> {
    const { domain, progress, events, askedAt } = check;
    const { id, projectId, hostname, stage: from } = domain;
    const values = {
      ...progress,
      ...actValues(check),
      id,
      projectId,
      hostname,
      from,
      findings: JSON.stringify(check.findings),
      trace: check.trace,
      isProven: check.isProven ? 1 : 0,
      rivals: JSON.stringify(check.rivals),
      askedAt,
    };
    const notes = events.map(({ event, stage }) =>
      INSERT_EVENT.with({ ...values, event, eventStage: stage }),
    );
    const pruning = notes.length > 0 ? [PRUNE_EVENTS.with({ projectId, hostname })] : [];
    const takesName = !isHeld(from) && isHeld(progress.stage);
    const before = [
      SLUG.with({ projectId }),
      ...notes,
      ...pruning,
      // Before the name is taken: the unique index looks at each row by itself.
      ...(takesName ? yieldName(hostname, values) : []),
    ];
    const after = awaitsCertificate(progress.stage)
      ? goLiveIfCertified({ id, hostname, now: check.now, nextCheckAt: nextLiveCheck(null, check.now) })
      : [];
    const rows: readonly unknown[] = await commit([...before, UPDATE.with(values), ...after], (all) => {
      const [[project]] = all as [{ slug: string }[]];
      return project && hasRows(all[before.length]) ? recordCheck(check, project.slug) : [];
    });
    return hasRows(rows[before.length]);
  },
  /** Ends the scheduled checks, if the project's plan has no custom domains. */
  async stopChecks({ id, projectId, stage }: Domain): Promise<void> {
    await commit([STOP_CHECKS.with({ id, projectId, from: stage })]);
  },
});

const order = moveBy("order_placed", HAS_NAME);
const refuse = moveBy("issue_refused", HAS_NAME);
const goLive = moveBy(
  "certificate_stored",
  sql`${HAS_NAME} AND EXISTS (
    SELECT 1
    FROM ${certificates}
    WHERE ${certificates.hostname} = ${value("hostname")} AND ${certificates.chain} = ${value("chain")})`,
  { liveAt: value("now"), nextCheckAt: NEXT_CHECK_OF_LIVE },
);

/** Statements that update the domain of a name in the transaction that writes its certificate. */
export const certificateEffects = {
  orderPlaced: (hostname: string, now: number): readonly Statement[] => order({ hostname, now }),
  /** The domain goes live, if the certificate with this chain is in use. */
  certificateStored: (hostname: string, chain: string, now: number): readonly Statement[] =>
    goLive({ hostname, chain, now, nextCheckAt: nextLiveCheck(null, now) }),
  issueRefused: (hostname: string, now: number): readonly Statement[] => refuse({ hostname, now }),
};

const suspend = moveBy("plan_dropped", sql`${IS_OF_PROJECT} AND NOT ${HAS_DOMAINS_PLAN}`, {
  nextCheckAt: null,
});
const restore = moveBy("plan_restored", sql`${IS_OF_PROJECT} AND ${HAS_DOMAINS_PLAN}`, {
  liveAt: value("now"),
  // Until it verifies again, because the DNS may have changed to another project's target during the suspension.
  waitingSince: value("now"),
  nextCheckAt: value("now"),
});

const RESUME_CHECKS = statement(sql`
  ${update(domains, { nextCheckAt: value("now") })}
  WHERE ${IS_OF_PROJECT}
    AND ${domains.stage} IN ${WAITING}
    AND ${domains.nextCheckAt} IS NULL
    AND ${domains.waitingSince} > ${value("since")}
    AND ${HAS_DOMAINS_PLAN}`);

const UNCERTIFY_HELD = statement(sql`
  DELETE FROM ${certificates}
  WHERE ${certificates.hostname} IN (
    SELECT ${domains.hostname} FROM ${domains} WHERE ${IS_OF_PROJECT} AND ${domains.stage} IN ${HELD})`);

const UNCERTIFY_OWN = statement(sql`
  DELETE FROM ${certificates}
  WHERE ${certificates.hostname} = (
    SELECT ${projects.slug} || '.' || ${value("platformDomain")}
    FROM ${projects}
    WHERE ${projects.id} = ${value("projectId")})`);

/** Statements that update the domains of a project in the transaction that changes it. */
const projectEffects = {
  /**
   * After a change of the plan: without custom domains, those that hold their name are suspended; with them, they are live
   * again, and those that still wait for their records are checked again.
   */
  planEffects: (projectId: number, now: number): readonly Statement[] => [
    ...suspend({ projectId, now }),
    ...restore({ projectId, now }),
    RESUME_CHECKS.with({ projectId, now, since: now - WAITING_MS }),
  ],
  /** Before a project is removed: its custom domains lose their certificates, as does its own name. */
  removalEffects: (projectId: number, platformDomain: string): readonly Statement[] => [
    UNCERTIFY_HELD.with({ projectId }),
    UNCERTIFY_OWN.with({ projectId, platformDomain }),
  ],
};

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
  ...checkWrites(database),
  ...roleWrites(database),
  ...removals(database),
  ...projectEffects,
});

export type Domains = ReturnType<typeof domainRepository>;
