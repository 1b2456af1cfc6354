import { and, eq, exists, gt, lte, sql } from "drizzle-orm";
import { auditing, changesBetween } from "../db/audit.ts";
import type { Database } from "../db/open.ts";
import { certificates } from "../db/schema/certificates.ts";
import { domains } from "../db/schema/domains.ts";
import { type Act, SERVICE } from "../lib/actor.ts";
import type { Domain, EventName } from "./domain.ts";
import type { DomainFinding } from "../dns-checks/finding.ts";
import { pruneStatement } from "./read-repository.ts";
import type { Statement } from "../db/commit.ts";
import type { Progress } from "./check-progress.ts";
import {
  HELD,
  KEEPING,
  type Orm,
  actValues,
  insertEvents,
  hasDomainsPlan,
  moveBy,
  nextCheckOfLive,
  prepareSlug,
  value,
} from "./queries.ts";
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
const isAsRead = and(eq(domains.id, value("id")), eq(domains.stage, value("from")));

/**
 * Another project holds the name and keeps it against a proof: the TXT records name it too, or it has verified since the
 * check began. A suspended project keeps nothing.
 */
const isKeptByOther = sql`exists (select 1 from domains other join projects holder on holder.id = other.project_id
  where other.hostname = ${value("hostname")} and other.stage in ${HELD} and other.stage in ${KEEPING}
  and other.project_id <> ${value("projectId")} and (other.verified_at >= ${value("askedAt")}
    or holder.target_label in (select value from json_each(${value("rivals")}))))`;

/** The new stage holds no name, or the domain already holds it, or the check proves it for this project. */
const mayTake = sql`(${value("stage")} not in ${HELD} or (${hasDomainsPlan} and (${value("from")} in ${HELD}
  or (${value("isProven")} and not ${isKeptByOther}))))`;

const checkStatements = (orm: Orm) => ({
  // `stage` is the stage after the check, `eventStage` the stage after one of its events.
  insertEvent: insertEvents(orm, and(isAsRead, mayTake), sql`${value("event")}`, sql`${value("eventStage")}`),
  update: orm
    .update(domains)
    .set({
      stage: sql`${value("stage")}`,
      waitingSince: sql`${value("waitingSince")}`,
      checkedAt: sql`${value("now")}`,
      nextCheckAt: sql`${value("nextCheckAt")}`,
      failingSince: sql`${value("failingSince")}`,
      verifiedAt: sql`${value("verifiedAt")}`,
      liveAt: sql`${value("liveAt")}`,
      findings: sql`${value("findings")}`,
      trace: sql`${value("trace")}`,
    })
    .where(and(isAsRead, mayTake))
    .returning({ id: domains.id })
    .prepare(),
  prune: pruneStatement(orm),
  stopChecks: orm
    .update(domains)
    .set({ nextCheckAt: null })
    .where(and(isAsRead, sql`not ${hasDomainsPlan}`))
    .prepare(),
});

/** A domain that has just verified, and whose name has a valid certificate already, is live. */
const goLiveStatements = (orm: Orm) => {
  const validCertificate = orm
    .select({ one: sql`1` })
    .from(certificates)
    .where(
      and(
        eq(certificates.hostname, value("hostname")),
        lte(certificates.notBefore, value("now")),
        gt(certificates.notAfter, value("now")),
      ),
    );
  const move = moveBy(orm, "certificate_stored", and(eq(domains.id, value("id")), exists(validCertificate)), {
    liveAt: sql`${value("now")}`,
    nextCheckAt: nextCheckOfLive,
  });
  return (id: number, hostname: string, now: number) =>
    move({ id, hostname, now, nextCheckAt: nextLiveCheck(null, now) });
};

/** Takes the name from the project that held it, with its certificate and any order under way. */
const yieldStatements = (orm: Orm) => {
  const yields = and(
    eq(domains.hostname, value("hostname")),
    sql`${domains.projectId} <> ${value("projectId")}`,
    sql`exists (select 1 from domains mine where mine.id = ${value("id")} and mine.stage = ${value("from")})`,
    mayTake,
  );
  // Without scheduled checks: two projects must not take the name from each other in turn.
  const move = moveBy(orm, "yielded", yields, {
    waitingSince: sql`${value("now")}`,
    nextCheckAt: null,
    failingSince: null,
    findings: sql`${value("findings")}`,
  });
  /** Must follow the move directly, because `changes()` counts its rows. */
  const uncertifyStatement = orm
    .delete(certificates)
    .where(and(eq(certificates.hostname, value("hostname")), sql`changes() > 0`))
    .prepare();
  return (hostname: string, values: Record<string, unknown> & { now: number }) => {
    const findings = JSON.stringify([{ kind: "domain_lost", name: hostname } satisfies DomainFinding]);
    return [
      ...move({ ...values, ...actValues({ actor: SERVICE, now: values.now }), findings }),
      { query: uncertifyStatement, values: { hostname } },
    ];
  };
};

const hasRows = (rows: unknown): boolean => Array.isArray(rows) && rows.length > 0;

export const checkWrites = ({ orm, client, commit }: Pick<Database, "orm" | "client" | "commit">) => {
  const statements = checkStatements(orm);
  const yieldName = yieldStatements(orm);
  const goLive = goLiveStatements(orm);
  const slugStatement = prepareSlug(orm);
  const record = auditing({ client });
  /** Records a requested check that changed the stage. The schedulers' are in the domain's history. */
  const recordCheck = ({ actor, now, domain, progress }: Check, slug: string): readonly Statement[] => {
    const { stage: from, hostname: id } = domain;
    if (actor.kind === "service") return [];
    const changes = changesBetween({ stage: from }, progress, ["stage"]);
    return record({ actor, now }, { action: "domain.checked", id, parent: slug, changes });
  };
  return {
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
      const notes = events.map(({ event, stage }) => ({
        query: statements.insertEvent,
        values: { ...values, event, eventStage: stage },
      }));
      const pruning = notes.length > 0 ? [{ query: statements.prune, values: { projectId, hostname } }] : [];
      const takesName = !isHeld(from) && isHeld(progress.stage);
      const before = [
        { query: slugStatement, values: { projectId } },
        ...notes,
        ...pruning,
        // Before the name is taken: the unique index looks at each row by itself.
        ...(takesName ? yieldName(hostname, values) : []),
      ];
      const after = awaitsCertificate(progress.stage) ? goLive(id, hostname, check.now) : [];
      const rows: readonly unknown[] = await commit(
        [...before, { query: statements.update, values }, ...after],
        (all) => {
          const [[project]] = all as [{ slug: string }[]];
          return project && hasRows(all[before.length]) ? recordCheck(check, project.slug) : [];
        },
      );
      return hasRows(rows[before.length]);
    },
    /** Ends the scheduled checks, if the project's plan has no custom domains. */
    async stopChecks({ id, projectId, stage }: Domain): Promise<void> {
      await commit([{ query: statements.stopChecks, values: { id, projectId, from: stage } }]);
    },
  };
};
