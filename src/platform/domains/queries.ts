import { type SQL, sql } from "drizzle-orm";
import type { Statement } from "../../data/db/commit.ts";
import { domainEvents, domains } from "../../data/db/schema/domains.ts";
import { projects } from "../../data/db/schema/projects.ts";
import {
  type Changes,
  columnsBut,
  columnsOf,
  insert,
  statement,
  update,
  value,
  valuesFor,
} from "../../data/db/statement.ts";
import { type Act, SERVICE } from "../../lib/actor.ts";
import { PLANS_WITH_DOMAINS } from "../projects/plan.ts";
import type { Domain } from "./domain.ts";
import type { DomainFinding } from "../dns-checks/finding.ts";
import { type StageEvent, stagesThat, transitionOf } from "./stage.ts";

export type Row = Omit<typeof domains.$inferSelect, "trace">;

export const COLUMNS = columnsBut(domains, "trace");

export const toFindings = (json: string) => JSON.parse(json) as DomainFinding[];

export const toDomain = (row: Row): Domain => ({ ...row, findings: toFindings(row.findings) });

export const HELD = stagesThat("isHeld");
export const KEEPING = stagesThat("keepsName");
export const WAITING = stagesThat("isWaiting");
/** The stages in which a domain waits for its records or its certificate. */
export const PENDING = [...WAITING, ...stagesThat("awaitsCertificate")];
export const WANTING_CERTIFICATE = stagesThat("wantsCertificate");

/** A person must act: the stage is a failure, or a live domain no longer verifies. */
export const NEEDS_ATTENTION = sql`(${domains.stage} IN ${stagesThat("isFailing")} OR ${domains.failingSince} IS NOT NULL)`;

export const IS_DOMAIN = sql`${domains.id} = ${value("id")}`;
export const HAS_NAME = sql`${domains.hostname} = ${value("hostname")}`;
export const IS_OF_PROJECT = sql`${domains.projectId} = ${value("projectId")}`;
export const IS_NAME_OF_PROJECT = sql`${IS_OF_PROJECT} AND ${HAS_NAME}`;
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

export type MoveValues = Record<string, unknown> & { now: number };

/**
 * Moves the domains that match from every stage that the event starts from, and writes the move into their history. The
 * service is the actor.
 * @param changes to columns other than the stage
 */
export const moveBy = (event: StageEvent, where: SQL, changes: Changes<typeof domains> = {}) => {
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
export const NEXT_CHECK_OF_LIVE = sql`iif(${domains.verifiedAt} IS NULL, ${domains.nextCheckAt}, ${value("nextCheckAt")})`;

/** The slug of a project, for the audit log. */
export const SLUG = statement<{ slug: string }>(sql`
  SELECT ${columnsOf(projects, "slug")}
  FROM ${projects}
  WHERE ${projects.id} = ${value("projectId")}`);
