import { type SQL, and, eq, sql } from "drizzle-orm";
import type { Statement } from "../db/commit.ts";
import { insertSelect } from "../db/insert-select.ts";
import type { Database } from "../db/open.ts";
import { domainEvents, domains } from "../db/schema/domains.ts";
import { projects } from "../db/schema/projects.ts";
import { type Act, SERVICE } from "../lib/actor.ts";
import { PLANS_WITH_DOMAINS } from "../projects/plan.ts";
import type { Domain } from "./domain.ts";
import type { DomainFinding } from "../dns-checks/finding.ts";
import { type StageEvent, type StoredStage, stagesThat, transitionOf } from "./stage.ts";

export type Orm = Database["orm"];
type Changes = Parameters<ReturnType<Orm["update"]>["set"]>[0];
export type Row = Omit<Domain, "findings"> & { findings: string };

export const COLUMNS = {
  id: domains.id,
  projectId: domains.projectId,
  hostname: domains.hostname,
  stage: domains.stage,
  role: domains.role,
  createdAt: domains.createdAt,
  waitingSince: domains.waitingSince,
  checkedAt: domains.checkedAt,
  nextCheckAt: domains.nextCheckAt,
  failingSince: domains.failingSince,
  verifiedAt: domains.verifiedAt,
  liveAt: domains.liveAt,
  findings: domains.findings,
};

export const toFindings = (json: string) => JSON.parse(json) as DomainFinding[];

export const toDomain = (row: Row): Domain => ({ ...row, findings: toFindings(row.findings) });

export const value = sql.placeholder;

/** The stages as literals: SQLite uses the partial index `domains_held` only for a condition in the index's own words. */
const listOf = (stages: readonly StoredStage[]) =>
  sql.raw(`(${stages.map((stage) => `'${stage}'`).join(", ")})`);

export const HELD = listOf(stagesThat("isHeld"));
export const KEEPING = listOf(stagesThat("keepsName"));
export const FAILING = listOf(stagesThat("isFailing"));
export const WAITING = listOf(stagesThat("isWaiting"));
/** The stages in which a domain waits for its records or its certificate. */
export const PENDING = listOf([...stagesThat("isWaiting"), ...stagesThat("awaitsCertificate")]);
export const WANTING_CERTIFICATE = listOf(stagesThat("wantsCertificate"));

/** A person must act: the stage is a failure, or a live domain no longer verifies. */
export const NEEDS_ATTENTION = sql`(${domains.stage} in ${FAILING} or ${domains.failingSince} is not null)`;

export const isOfProject = eq(domains.projectId, value("projectId"));
export const isOfDomain = and(isOfProject, eq(domains.hostname, value("hostname")));
/** The project's plan has custom domains. */
export const hasDomainsPlan = sql`exists (select 1 from projects where id = ${value("projectId")} and plan in ${PLANS_WITH_DOMAINS})`;

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
export const insertEvents = (
  orm: Orm,
  where: SQL | undefined,
  event = sql`${value("event")}`,
  stage = sql`${value("stage")}`,
) =>
  insertSelect(
    orm,
    domainEvents,
    {
      projectId: domains.projectId,
      hostname: domains.hostname,
      at: value("now"),
      actor: value("actor"),
      keyId: value("keyId"),
      personId: value("personId"),
      actorName: value("actorName"),
      event,
      stage,
      findings: value("findings"),
    },
    sql`from ${domains} where ${where} order by ${domains.id}`,
  ).prepare();

/**
 * Moves the domains that match from every stage that the event starts from, and writes the move into their history. The
 * service is the actor.
 * @param changes to columns other than the stage
 */
export const moveBy = (orm: Orm, event: StageEvent, where: SQL | undefined, changes: Changes = {}) => {
  const { from, to } = transitionOf(event);
  const moves = and(where, sql`${domains.stage} in ${listOf(from)}`);
  const eventStatement = insertEvents(orm, moves, sql`${event}`, sql`${to}`);
  const moveStatement = orm
    .update(domains)
    .set({ ...changes, stage: to })
    .where(moves)
    .prepare();
  return (values: Record<string, unknown> & { now: number }): readonly Statement[] => [
    { query: eventStatement, values: { ...actValues({ actor: SERVICE, now: values.now }), ...values } },
    { query: moveStatement, values },
  ];
};

/** The next check of a domain that goes live. If its records still point to its old host, the next check stays, to notice the move. */
export const nextCheckOfLive = sql`iif(${domains.verifiedAt} is null, ${domains.nextCheckAt}, ${value("nextCheckAt")})`;

/** The slug of a project, for the audit log. */
export const prepareSlug = (orm: Orm) =>
  orm
    .select({ slug: projects.slug })
    .from(projects)
    .where(eq(projects.id, value("projectId")))
    .limit(1)
    .prepare();
