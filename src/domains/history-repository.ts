import { and, desc, eq, lt, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { domainEvents } from "../db/schema/domains.ts";
import type { DomainEvent, EventName, PastActor } from "./domain.ts";
import { type Orm, toFindings, value } from "./queries.ts";
import type { StoredStage } from "./stage.ts";

/** Events of one host name that a project keeps. */
export const MAX_EVENTS = 1000;

const isOfDomain = and(
  eq(domainEvents.projectId, value("projectId")),
  eq(domainEvents.hostname, value("hostname")),
);

type Row = Pick<typeof domainEvents.$inferSelect, "actor" | "keyId" | "personId" | "actorName">;

const actorOf = ({ actor, keyId, personId, actorName: name }: Row): PastActor => {
  if (actor === "key" && keyId !== null) return { kind: "key", id: keyId, name };
  if (actor === "person" && personId !== null) return { kind: "person", id: personId, name };
  return { kind: actor === "operator" ? "operator" : "service" };
};

/** Removes the oldest events beyond `MAX_EVENTS`, so that nobody fills the disk by verifying day and night. */
export const pruneStatement = (orm: Orm) =>
  orm
    .delete(domainEvents)
    .where(
      and(
        isOfDomain,
        sql`${domainEvents.id} <= (select id from domain_events where project_id = ${value("projectId")}
          and hostname = ${value("hostname")} order by id desc limit 1 offset ${MAX_EVENTS})`,
      ),
    )
    .prepare();

export const historyReads = ({ orm }: Pick<Database, "orm">) => {
  const historyStatement = orm
    .select()
    .from(domainEvents)
    .where(and(isOfDomain, lt(domainEvents.id, value("before"))))
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
