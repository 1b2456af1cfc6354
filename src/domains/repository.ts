import type { Statement } from "../db/commit.ts";
import type { Database } from "../db/open.ts";
import {
  type Actor,
  type Domain,
  type DomainEvent,
  type DomainFinding,
  type EventName,
  type Holder,
  type Role,
  SERVICE,
} from "./domain.ts";
import type { Progress } from "./next-stage.ts";
import {
  additions,
  assignments,
  certificateMoves,
  checkings,
  projectChanges,
  readings,
  removals,
} from "./queries.ts";
import { WAITING_MS, nextLiveCheck } from "./schedule.ts";
import { FIRST_STAGE, type Stage, type StoredStage, isHeld } from "./stage.ts";

/** Who does something, and when. */
export interface Act {
  actor: Actor;
  now: number;
}

/** What a check found, and what it makes of the domain as it was read before. */
export interface Check extends Act {
  domain: Domain;
  progress: Omit<Progress, "events">;
  /** For the history, each with the stage that it led to. */
  events: readonly { event: EventName; stage: Stage }[];
  findings: readonly DomainFinding[];
  /** JSON of all that was asked. */
  trace: string;
  /** True if the records name this very project's target. */
  isProven: boolean;
  /** The labels of other projects' targets that TXT records name as well. */
  rivals: readonly string[];
  /** When the check began: a holder that has verified since then keeps the name. */
  askedAt: number;
}

/** A domain, and what a check of it must know of its project. */
export interface Checkable {
  domain: Domain;
  project: Holder;
}

export interface Domains {
  /**
   * Adds the host name, its first domain as primary, in one atomic step. Undefined if the project has it already or may not have
   * it: its plan is below Pro, it has no deploy, or it has `most` domains. Another project may hold the name.
   */
  add(
    domain: { projectId: number; hostname: string; nextCheckAt: number | null; most: number },
    act: Act,
  ): Promise<Domain | undefined>;
  find(projectId: number, hostname: string): Promise<Domain | undefined>;
  /** All that the last check was answered, JSON; undefined before the first. */
  trace(id: number): Promise<string | undefined>;
  /** Ascending by id, from behind `after`. */
  list(page: { projectId: number; after: number; limit: number }): Promise<Domain[]>;
  /** The domain that holds this host name, and its project; undefined if none does. */
  holder(hostname: string): Promise<Checkable | undefined>;
  /**
   * Writes down a check in one atomic step, if the domain still is in the stage that it was read in. A stage that holds the
   * host name is taken only if the project's plan is Pro or above and the records prove that the name is this project's. Another
   * project that holds it loses it then, with its certificate, unless the TXT records name that project too, or it has
   * verified since this check began; one that is suspended always loses it. False if nothing was written.
   */
  record(check: Check): Promise<boolean>;
  /**
   * Gives each named domain its role, in one atomic step; the others of the project keep theirs (but for a primary that another
   * takes the place of) or become `served`. False, and nothing is written, unless the project has all the named.
   */
  assign(
    projectId: number,
    roles: Readonly<Record<string, Role>>,
    others: "keep" | "served",
    act: Act,
  ): Promise<boolean>;
  /** Removes the domain from the next request on; if it was the primary, what redirected to it is served. False if there is none. */
  remove(projectId: number, hostname: string, act: Act): Promise<boolean>;
  /** Names of domains that are to have a certificate and have not even asked for one; `limit` at the most. */
  uncertified(limit: number): Promise<string[]>;
  /** Those whose time has come, the longest due first. */
  due(now: number, limit: number): Promise<Checkable[]>;
  /** Checks it no longer by itself, while its project's plan is below Pro. */
  rest(domain: Domain): Promise<void>;
  /** Newest first, from below `before`. */
  history(page: {
    projectId: number;
    hostname: string;
    before: number;
    limit: number;
  }): Promise<DomainEvent[]>;
  /** For the same atomic step as a change of a project's plan: live domains are suspended below Pro, and live again from it on. */
  planEffects(projectId: number, now: number): readonly Statement[];
  /** For the same atomic step as a project's removal: what it held loses its certificates, as does its own name. */
  removalEffects(projectId: number, platformDomain: string): readonly Statement[];
}

type Row = Omit<Domain, "findings"> & { findings: string };

const findingsOf = (json: string) => JSON.parse(json) as DomainFinding[];

const toDomain = (row: Row): Domain => ({ ...row, findings: findingsOf(row.findings) });

const actorOf = (actor: string, keyId: number | null): Actor => {
  if (actor === "key" && keyId !== null) return { kind: "key", keyId };
  return { kind: actor === "operator" ? "operator" : "service" };
};

const actorValues = (actor: Actor) => ({
  actor: actor.kind,
  keyId: actor.kind === "key" ? actor.keyId : null,
});

/** The rest of a history row that the service writes by itself. */
const serviceNote = { ...actorValues(SERVICE), findings: "[]" };

/** A move that the service makes by itself, as statements of an act. */
const move = (
  { noteStatement, moveStatement }: ReturnType<typeof certificateMoves>["ordered"],
  values: Record<string, unknown>,
): readonly Statement[] => [
  { query: noteStatement, values: { ...serviceNote, ...values } },
  { query: moveStatement, values },
];

/** What a certificate does to the domain of its name, if a project holds it: statements for the certificate's own act. */
export interface CertificateEffects {
  orderPlaced(hostname: string, now: number): readonly Statement[];
  /** The domain goes live, if the certificate of this chain is in use. */
  certificateStored(hostname: string, chain: string, now: number): readonly Statement[];
  issueRefused(hostname: string, now: number): readonly Statement[];
}

export const certificateEffects = ({ orm }: Pick<Database, "orm">): CertificateEffects => {
  const { ordered, secured, refused } = certificateMoves(orm);
  return {
    orderPlaced: (hostname, now) => move(ordered, { hostname, now }),
    certificateStored: (hostname, chain, now) =>
      move(secured, { hostname, chain, now, nextCheckAt: nextLiveCheck(null, now) }),
    issueRefused: (hostname, now) => move(refused, { hostname, now }),
  };
};

export const domainRepository = ({ orm, commit }: Database): Domains => {
  const {
    found,
    traced,
    listed,
    holding,
    dueNow,
    uncertified: withoutCertificate,
    remembered,
  } = readings(orm);
  const { inserted, addedNoted } = additions(orm);
  const { checkNoted, checked, yielded, yieldUncertified, oldForgotten, rested } = checkings(orm);
  const { assignedNoted, primaryReleased, assigned } = assignments(orm);
  const { removalNoted, lossNoted, redirectsEnded, removed, uncertified } = removals(orm);
  const effects = projectChanges(orm);

  const find = async (projectId: number, hostname: string) => {
    const row = found.get({ projectId, hostname });
    return row && toDomain(row);
  };

  return {
    find,
    async add({ most, ...domain }, { actor, now }) {
      const values = { ...domain, now };
      const note = {
        ...values,
        ...actorValues(actor),
        event: "added",
        stage: FIRST_STAGE,
        findings: "[]",
      };
      const [[row]] = await commit([
        { query: inserted, values: { ...values, most } },
        { query: addedNoted, values: note },
      ]);
      return row && toDomain(row);
    },
    async trace(id) {
      return traced.get({ id })?.trace ?? undefined;
    },
    async list(page) {
      return listed.all({ ...page }).map(toDomain);
    },
    async holder(hostname) {
      const row = holding.get({ hostname });
      return row && { domain: toDomain(row.domain), project: row.project };
    },
    async record({ domain, progress, events, findings, trace, isProven, rivals, askedAt, actor, now }) {
      const { id, projectId, hostname, stage: from } = domain;
      const values = {
        ...progress,
        ...actorValues(actor),
        id,
        projectId,
        hostname,
        from,
        findings: JSON.stringify(findings),
        trace,
        isProven: isProven ? 1 : 0,
        rivals: JSON.stringify(rivals),
        askedAt,
        now,
      };
      const notes = events.map(({ event, stage }) => ({
        query: checkNoted,
        values: { ...values, event, eventStage: stage },
      }));
      const pruning = notes.length > 0 ? [{ query: oldForgotten, values: { projectId, hostname } }] : [];
      // Before the name is taken: the index looks at each row by itself.
      const isTaking = !isHeld(from) && isHeld(progress.stage);
      const lost = JSON.stringify([{ kind: "domain_lost", name: hostname } satisfies DomainFinding]);
      const yielding = [
        ...move(yielded, { ...values, ...serviceNote, findings: lost }),
        { query: yieldUncertified, values: { hostname } },
      ];
      const rows = await commit([
        ...notes,
        ...pruning,
        ...(isTaking ? yielding : []),
        { query: checked, values },
      ]);
      return (rows.at(-1) as unknown[]).length > 0;
    },
    async rest({ id, projectId, stage }) {
      await commit([{ query: rested, values: { id, projectId, from: stage } }]);
    },
    async assign(projectId, roles, others, { actor, now }) {
      const values = {
        projectId,
        roles: JSON.stringify(roles),
        others: others === "keep" ? null : others,
        ...actorValues(actor),
        findings: "[]",
        now,
      };
      const [, , rows] = await commit([
        { query: assignedNoted, values },
        { query: primaryReleased, values },
        { query: assigned, values },
      ]);
      return rows.length > 0;
    },
    async remove(projectId, hostname, { actor, now }) {
      const values = { projectId, hostname, ...actorValues(actor), findings: "[]", now };
      const [, , , rows] = await commit([
        { query: removalNoted, values: { ...values, event: "removed", stage: "removed" } },
        { query: lossNoted, values },
        { query: redirectsEnded, values },
        { query: removed, values },
        { query: uncertified, values: { hostname } },
      ]);
      return rows.length > 0;
    },
    async uncertified(limit) {
      return withoutCertificate.all({ limit }).map(({ hostname }) => hostname);
    },
    async due(now, limit) {
      return dueNow.all({ now, limit }).map(({ domain, project }) => ({ domain: toDomain(domain), project }));
    },
    async history(page) {
      return remembered.all({ ...page }).map(({ id, at, actor, keyId, event, stage, findings }) => ({
        id,
        at,
        actor: actorOf(actor, keyId),
        event: event as EventName,
        stage: stage as StoredStage,
        findings: findingsOf(findings),
      }));
    },
    removalEffects: (projectId, platformDomain) => [
      { query: effects.uncertified, values: { projectId } },
      { query: effects.ownUncertified, values: { projectId, platformDomain } },
    ],
    planEffects(projectId, now) {
      const values = { projectId, now };
      return [
        ...move(effects.dropped, values),
        ...move(effects.restored, values),
        { query: effects.waitingResumed, values: { ...values, since: now - WAITING_MS } },
      ];
    },
  };
};
