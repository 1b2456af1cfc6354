import {
  type SQL,
  and,
  asc,
  desc,
  eq,
  exists,
  gt,
  inArray,
  isNull,
  lt,
  lte,
  notExists,
  sql,
} from "drizzle-orm";
import { insertSelect } from "../db/insert-select.ts";
import type { Database } from "../db/open.ts";
import { certificates } from "../db/schema/certificates.ts";
import { domainEvents, domains } from "../db/schema/domains.ts";
import { projects } from "../db/schema/projects.ts";
import { PLANS_WITH_DOMAINS } from "../projects/plan.ts";
import { FIRST_STAGE, type StageEvent, type StoredStage, transitionOf, stagesThat } from "./stage.ts";

const COLUMNS = {
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

/** Events of one host name that a project keeps. */
export const MAX_EVENTS = 1000;

/** The stages as literals: SQLite uses the partial index `domains_held` only for a condition in the index's own words. */
const listOf = (stages: readonly StoredStage[]) =>
  sql.raw(`(${stages.map((stage) => `'${stage}'`).join(", ")})`);
const HELD = listOf(stagesThat("isHeld"));

type Orm = Database["orm"];
type Changes = Parameters<ReturnType<Orm["update"]>["set"]>[0];

const value = sql.placeholder;
const ofProject = eq(domains.projectId, value("projectId"));
const isThis = and(ofProject, eq(domains.hostname, value("hostname")));
/** The project's plan has custom domains. */
const mayHave = sql`exists (select 1 from projects where id = ${value("projectId")} and plan in ${PLANS_WITH_DOMAINS})`;
/**
 * Another project holds the name and keeps it against a proof: the TXT records name it too, or it has verified since the
 * check began. A suspended project keeps nothing.
 */
const isKeptByOther = sql`exists (select 1 from domains other join projects holder on holder.id = other.project_id
  where other.hostname = ${value("hostname")} and other.stage in ${HELD} and other.stage in ${listOf(stagesThat("keepsName"))}
  and other.project_id <> ${value("projectId")} and (other.verified_at >= ${value("askedAt")}
    or holder.target_label in (select value from json_each(${value("rivals")}))))`;

/** The domain is where it was when the check of it began. */
const isAsRead = and(eq(domains.id, value("id")), eq(domains.stage, value("from")));
/** The stage that it comes to holds no name, or one that it has already, or has proven to be its own. */
const mayTake = sql`(${value("stage")} not in ${HELD} or (${mayHave} and (${value("from")} in ${HELD}
  or (${value("isProven")} and not ${isKeptByOther}))))`;

/** History rows for the domains that match; `event` and `stage` may be SQL over them. */
export const insertEvents = (
  orm: Orm,
  where: ReturnType<typeof and>,
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
      event,
      stage,
      findings: value("findings"),
    },
    sql`from ${domains} where ${where} order by ${domains.id}`,
  ).prepare();

/**
 * Moves the domains that match, from every stage that the event moves, and writes it into their history. Both statements
 * belong into one act, in this order.
 */
const moveOf = (orm: Orm, event: StageEvent, where: SQL | undefined, changes: Changes = {}) => {
  const { from, to } = transitionOf(event);
  const moving = and(where, sql`${domains.stage} in ${listOf(from)}`);
  return {
    noteStatement: insertEvents(orm, moving, sql`${event}`, sql`${to}`),
    moveStatement: orm
      .update(domains)
      .set({ ...changes, stage: to })
      .where(moving)
      .prepare(),
  };
};

/** What is read. */
export const readings = (orm: Orm) => {
  const found = orm.select(COLUMNS).from(domains).where(isThis).limit(1).prepare();
  const traced = orm
    .select({ trace: domains.trace })
    .from(domains)
    .where(eq(domains.id, value("id")))
    .limit(1)
    .prepare();
  const listed = orm
    .select(COLUMNS)
    .from(domains)
    .where(and(ofProject, gt(domains.id, value("after"))))
    .orderBy(asc(domains.id))
    .limit(value("limit"))
    .prepare();
  const withProject = {
    domain: COLUMNS,
    project: { id: projects.id, plan: projects.plan, targetLabel: projects.targetLabel },
  };
  const holding = orm
    .select(withProject)
    .from(domains)
    .innerJoin(projects, eq(projects.id, domains.projectId))
    .where(and(eq(domains.hostname, value("hostname")), sql`${domains.stage} in ${HELD}`))
    .limit(1)
    .prepare();
  const dueNow = orm
    .select(withProject)
    .from(domains)
    .innerJoin(projects, eq(projects.id, domains.projectId))
    .where(lte(domains.nextCheckAt, value("now")))
    .orderBy(asc(domains.nextCheckAt), asc(domains.id))
    .limit(value("limit"))
    .prepare();

  const uncertified = orm
    .select({ hostname: domains.hostname })
    .from(domains)
    .where(
      and(
        sql`${domains.stage} in ${listOf(stagesThat("wantsCertificate"))}`,
        notExists(
          orm
            .select({ one: sql`1` })
            .from(certificates)
            .where(eq(certificates.hostname, domains.hostname)),
        ),
      ),
    )
    .limit(value("limit"))
    .prepare();
  const remembered = orm
    .select()
    .from(domainEvents)
    .where(
      and(
        eq(domainEvents.projectId, value("projectId")),
        eq(domainEvents.hostname, value("hostname")),
        lt(domainEvents.id, value("before")),
      ),
    )
    .orderBy(desc(domainEvents.id))
    .limit(value("limit"))
    .prepare();
  return { found, traced, listed, holding, dueNow, uncertified, remembered };
};

/** A new domain, for a project that may have it. */
export const additions = (orm: Orm) => {
  const mayAdd = and(
    eq(projects.id, value("projectId")),
    mayHave,
    sql`${projects.activeDeployId} is not null`,
    sql`(select count(*) from domains where project_id = ${value("projectId")}) < ${value("most")}`,
    sql`not exists (select 1 from domains where project_id = ${value("projectId")} and hostname = ${value("hostname")})`,
  );
  const inserted = insertSelect(
    orm,
    domains,
    {
      projectId: projects.id,
      hostname: value("hostname"),
      stage: sql`${FIRST_STAGE}`,
      role: sql`iif(exists (select 1 from domains where project_id = ${value("projectId")}), 'served', 'primary')`,
      createdAt: value("now"),
      waitingSince: value("now"),
      nextCheckAt: value("nextCheckAt"),
      findings: sql`'[]'`,
    },
    sql`from ${projects} where ${mayAdd}`,
  )
    .returning(COLUMNS)
    .prepare();
  /** Right behind the insert: `changes()` tells whether that made the row. */
  const addedNoted = insertEvents(orm, and(isThis, sql`changes() = 1`));
  return { inserted, addedNoted };
};

/** What a check found, for a domain that still is as it was read. */
export const checkings = (orm: Orm) => {
  /** `stage` here is the one that the check leads to, of the history row the one that its event led to. */
  const checkNoted = insertEvents(
    orm,
    and(isAsRead, mayTake),
    sql`${value("event")}`,
    sql`${value("eventStage")}`,
  );
  const checked = orm
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
    .prepare();
  const yields = and(
    eq(domains.hostname, value("hostname")),
    sql`${domains.projectId} <> ${value("projectId")}`,
    sql`exists (select 1 from domains mine where mine.id = ${value("id")} and mine.stage = ${value("from")})`,
    mayTake,
  );
  // Without scheduled checks: two projects must not take the name from each other in turn.
  const yielded = moveOf(orm, "yielded", yields, {
    waitingSince: sql`${value("now")}`,
    nextCheckAt: null,
    failingSince: null,
    findings: sql`${value("findings")}`,
  });
  /** Runs directly after `yielded`: removes the certificate of the project that lost the name, and any order under way. */
  const yieldUncertified = orm
    .delete(certificates)
    .where(and(eq(certificates.hostname, value("hostname")), sql`changes() > 0`))
    .prepare();
  /** Whoever verifies day and night fills no disk. */
  const oldForgotten = orm
    .delete(domainEvents)
    .where(
      and(
        eq(domainEvents.projectId, value("projectId")),
        eq(domainEvents.hostname, value("hostname")),
        sql`${domainEvents.id} <= (select id from domain_events where project_id = ${value("projectId")}
          and hostname = ${value("hostname")} order by id desc limit 1 offset ${MAX_EVENTS})`,
      ),
    )
    .prepare();
  const rested = orm
    .update(domains)
    .set({ nextCheckAt: null })
    .where(and(isAsRead, sql`not ${mayHave}`))
    .prepare();
  return { checkNoted, checked, yielded, yieldUncertified, oldForgotten, rested };
};

/** Who is the primary domain, who redirects to it. */
export const assignments = (orm: Orm) => {
  /** The role that an assignment gives: its own, or what becomes of those that are not named. */
  const newRole = sql`coalesce((select value from json_each(${value("roles")}) where key = ${domains.hostname}),
    ${value("others")}, iif(${domains.role} = 'primary', 'served', ${domains.role}))`;
  const hasAllNamed = sql`not exists (select 1 from json_each(${value("roles")}) named where not exists
    (select 1 from domains mine where mine.project_id = ${value("projectId")} and mine.hostname = named.key))`;
  const assignedNoted = insertEvents(
    orm,
    and(ofProject, hasAllNamed, sql`${domains.role} <> ${newRole}`),
    sql`'became_' || ${newRole}`,
    sql`${domains.stage}`,
  );
  // Before another becomes it: the index looks at each row by itself.
  const primaryReleased = orm
    .update(domains)
    .set({ role: "served" })
    .where(and(ofProject, hasAllNamed, eq(domains.role, "primary"), sql`${newRole} <> 'primary'`))
    .prepare();
  const assigned = orm
    .update(domains)
    .set({ role: newRole })
    .where(and(ofProject, hasAllNamed))
    .returning({ id: domains.id })
    .prepare();
  return { assignedNoted, primaryReleased, assigned };
};

/** A domain that goes, and what becomes of those that redirected to it. */
export const removals = (orm: Orm) => {
  const losesPrimary = and(
    ofProject,
    eq(domains.role, "redirect"),
    sql`exists (select 1 from domains mine where mine.project_id = ${value("projectId")}
      and mine.hostname = ${value("hostname")} and mine.role = 'primary')`,
  );
  const removalNoted = insertEvents(orm, isThis);
  const lossNoted = insertEvents(orm, losesPrimary, sql`'became_served'`, sql`${domains.stage}`);
  const redirectsEnded = orm.update(domains).set({ role: "served" }).where(losesPrimary).prepare();
  const removed = orm.delete(domains).where(isThis).returning({ id: domains.id }).prepare();
  /** Behind the removal: unless another project holds the name, its certificate and its order go with it. */
  const uncertified = orm
    .delete(certificates)
    .where(
      and(
        eq(certificates.hostname, value("hostname")),
        sql`not exists (select 1 from domains other where other.hostname = ${value("hostname")} and other.stage in ${HELD})`,
      ),
    )
    .prepare();
  return { removalNoted, lossNoted, redirectsEnded, removed, uncertified };
};

/** What a change of the plan, or its end, does to a project's domains. */
export const projectChanges = (orm: Orm) => {
  const waiting = sql`${domains.stage} in ${listOf(stagesThat("isWaiting"))}`;
  return {
    uncertified: orm
      .delete(certificates)
      .where(
        inArray(
          certificates.hostname,
          orm
            .select({ hostname: domains.hostname })
            .from(domains)
            .where(and(ofProject, sql`${domains.stage} in ${HELD}`)),
        ),
      )
      .prepare(),
    /** Of its own name below the domain that projects are published at. */
    ownUncertified: orm
      .delete(certificates)
      .where(
        sql`${certificates.hostname} = (select ${projects.slug} || '.' || ${value("platformDomain")} from ${projects} where ${projects.id} = ${value("projectId")})`,
      )
      .prepare(),
    dropped: moveOf(orm, "plan_dropped", and(ofProject, sql`not ${mayHave}`), { nextCheckAt: null }),
    // Checked at once: while it was suspended, the DNS may have come to show another project's target.
    restored: moveOf(orm, "plan_restored", and(ofProject, mayHave), {
      liveAt: sql`${value("now")}`,
      nextCheckAt: sql`${value("now")}`,
    }),
    waitingResumed: orm
      .update(domains)
      .set({ nextCheckAt: sql`${value("now")}` })
      .where(
        and(
          ofProject,
          waiting,
          isNull(domains.nextCheckAt),
          gt(domains.waitingSince, value("since")),
          mayHave,
        ),
      )
      .prepare(),
  };
};

/** What becomes of the domain that has a name when that gets its certificate, or does not. */
export const certificateMoves = (orm: Orm) => {
  const ofName = eq(domains.hostname, value("hostname"));
  const isUsed = exists(
    orm
      .select({ one: sql`1` })
      .from(certificates)
      .where(and(eq(certificates.hostname, value("hostname")), eq(certificates.chain, value("chain")))),
  );
  return {
    ordered: moveOf(orm, "order_placed", ofName),
    secured: moveOf(orm, "certificate_stored", and(ofName, isUsed), {
      liveAt: sql`${value("now")}`,
      nextCheckAt: sql`${value("nextCheckAt")}`,
    }),
    refused: moveOf(orm, "issue_refused", ofName),
  };
};
