import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { changesBetween, record } from "../../data/db/audit.ts";
import type { Statement } from "../../data/db/commit.ts";
import type { Database } from "../../data/db/open.ts";
import { certificates } from "../../data/db/schema/certificates.ts";
import { domains } from "../../data/db/schema/domains.ts";
import { projects } from "../../data/db/schema/projects.ts";
import { statement, update, value, valuesFor } from "../../data/db/statement.ts";
import type { DomainFinding } from "../dns-checks/finding.ts";
import { type Act, SERVICE } from "../../lib/actor.ts";
import type { Progress } from "./check-progress.ts";
import type { Domain, EventName } from "./domain.ts";
import {
  type MoveValues,
  HAS_DOMAINS_PLAN,
  HAS_NAME,
  HELD,
  IS_DOMAIN,
  KEEPING,
  NEXT_CHECK_OF_LIVE,
  SLUG,
  actValues,
  insertEvents,
  moveBy,
} from "./queries.ts";
import { PRUNE_EVENTS } from "./read-repository.ts";
import { nextLiveCheck } from "./schedule.ts";
import { type Stage, awaitsCertificate, isHeld } from "./stage.ts";

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
const goLive = moveBy(
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

export const checkWrites = ({ commit }: Pick<Database, "commit">) => ({
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
      ? goLive({ id, hostname, now: check.now, nextCheckAt: nextLiveCheck(null, check.now) })
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
