import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { changesBetween, record } from "../../data/db/audit.ts";
import type { Statement } from "../../data/db/commit.ts";
import type { Database } from "../../data/db/open.ts";
import { certificates } from "../../data/db/schema/certificates.ts";
import { domains } from "../../data/db/schema/domains.ts";
import { projects } from "../../data/db/schema/projects.ts";
import { type Changes, statement, update, value, valuesFor } from "../../data/db/statement.ts";
import { type Act, SERVICE } from "../../lib/actor.ts";
import type { DomainFinding } from "../dns-checks/finding.ts";
import type { Domain, EventName } from "./domain.ts";
import type { Progress } from "./progress.ts";
import {
  actValues,
  HAS_DOMAINS_PLAN,
  HAS_NAME,
  HELD,
  insertEvents,
  IS_DOMAIN,
  IS_OF_PROJECT,
  PRUNE_EVENTS,
  SLUG,
  WAITING,
} from "./repository.ts";
import { nextLiveCheck, WAITING_MS } from "./schedule.ts";
import { type Stage, type StageEvent, awaitsCertificate, isHeld, stagesThat, transitionOf } from "./stage.ts";

type MoveValues = Record<string, unknown> & { now: number };

/**
 * Moves the domains that match from every stage that the event starts from, and writes the move into their history. The
 * service is the actor.
 * @param changes to columns other than the stage
 */
const moveBy = (event: StageEvent, where: SQL, changes: Changes<typeof domains> = {}) => {
  const { from, to } = transitionOf(event);
  const moves = sql`${where} AND ${domains.stage} IN ${from}`;
  const eventStatement = insertEvents(moves, sql`${event}`, sql`${to}`);
  const moveStatement = statement(sql`
    ${update(domains, { ...changes, stage: to })}
    WHERE ${moves}`);
  return (values: MoveValues): readonly Statement[] => [
    eventStatement.with({ ...actValues({ actor: SERVICE, now: values.now }), ...values }),
    moveStatement.with(values),
  ];
};

/** The next check of a domain that goes live. If its records still point to its old host, the next check stays, to notice the move. */
const NEXT_CHECK_OF_LIVE = sql`iif(${domains.verifiedAt} IS NULL, ${domains.nextCheckAt}, ${value("nextCheckAt")})`;

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

const KEEPING = stagesThat("keepsName");

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

/** Moves of domains between stages, and the results of checks, which cause most of them. */
export const stageRepository = ({ commit }: Pick<Database, "commit">) => ({
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
export const projectEffects = {
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

export type DomainStages = ReturnType<typeof stageRepository>;
