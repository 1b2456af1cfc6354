import { eq, notExists, and, sql } from "drizzle-orm";
import type { Statement } from "../db/commit.ts";
import type { Database } from "../db/open.ts";
import { certificates } from "../db/schema/certificates.ts";
import { domains } from "../db/schema/domains.ts";
import { attemptCounter } from "./ca-repository.ts";
import {
  AT_ONCE,
  type Certificate,
  type Issued,
  type PendingOrder,
  type StoredProblem,
} from "./certificate.ts";
import {
  NEW_CERTIFICATE,
  NO_ORDER,
  WITHOUT_SUCCESS,
  hasName,
  insertStatement,
  isAsRead,
  isUnderWay,
  updateStatement,
  value,
} from "./queries.ts";

/** A name as it was read. */
export type AsRead = Pick<Certificate, "hostname" | "revision">;

/** An attempt at a certificate: `attemptSince` tells it from those that began before and after it. */
export type Attempt = Pick<Certificate, "hostname"> & { attemptSince: number };

/** Statements that update the domain of a name in the transaction that writes its certificate. */
export interface DomainEffects {
  orderPlaced(hostname: string, now: number): readonly Statement[];
  /** Only if the certificate of this chain is in use. */
  certificateStored(hostname: string, chain: string, now: number): readonly Statement[];
  issueRefused(hostname: string, now: number): readonly Statement[];
}

/** Why an attempt failed, and when the next one is. */
export interface Failure {
  problem: StoredProblem;
  nextAt: number | null;
  /** The CA that refused the order, if one did: the refusal counts towards its limits. */
  refusedBy?: string | undefined;
}

type Store = Pick<Database, "orm" | "commit">;

const orderStatements = (orm: Store["orm"]) => ({
  begin: orm
    .update(certificates)
    .set({
      nextAt: AT_ONCE,
      isRequested: false,
      // Later than that of an attempt that a crash has ended, or that another process believes to be under way.
      attemptSince: sql`max(${value("now")}, coalesce(${certificates.attemptSince} + 1, 0))`,
    })
    .where(isAsRead)
    .returning({ attemptSince: certificates.attemptSince })
    .prepare(),
  saveKey: updateStatement(
    orm,
    { ...NO_ORDER, orderAuthority: sql`${value("ca")}`, orderKey: sql`${value("key")}` },
    isUnderWay,
  ),
  saveUrl: updateStatement(orm, { orderUrl: sql`${value("url")}` }, isUnderWay),
  saveChallenge: updateStatement(
    orm,
    { token: sql`${value("token")}`, keyAuthorization: sql`${value("keyAuthorization")}` },
    isUnderWay,
  ),
});

/** The writes of an attempt up to the CA's decision. */
const orderWrites = ({ orm, commit }: Store, effects: DomainEffects) => {
  const statements = orderStatements(orm);
  const count = attemptCounter({ orm });
  return {
    /** The attempt; undefined, without a change, if the row has changed since it was read. */
    async beginAttempt({ hostname, revision }: AsRead, now: number): Promise<Attempt | undefined> {
      const [[row]] = await commit([{ query: statements.begin, values: { hostname, revision, now } }]);
      return row && { hostname, attemptSince: row.attemptSince ?? now };
    },
    /** Stores the key of an order before it is placed. False if the attempt is over. */
    async saveOrderKey(attempt: Attempt, { ca, key }: PendingOrder): Promise<boolean> {
      const [rows] = await commit([{ query: statements.saveKey, values: { ...attempt, ca, key } }]);
      return rows.length > 0;
    },
    /** Stores a placed order, and makes its domain `issuing`. False if the attempt is over. */
    async saveOrder(
      attempt: Attempt,
      { ca, url }: { ca: string; url: string },
      now: number,
    ): Promise<boolean> {
      const { hostname } = attempt;
      const [rows] = await commit(
        [{ query: statements.saveUrl, values: { ...attempt, url } }, ...count(ca, "order", hostname, now)],
        ([changed]) => (changed.length > 0 ? effects.orderPlaced(hostname, now) : []),
      );
      return rows.length > 0;
    },
    /** False if the attempt is over. */
    async saveChallenge(attempt: Attempt, token: string, keyAuthorization: string): Promise<boolean> {
      const values = { ...attempt, token, keyAuthorization };
      const [rows] = await commit([{ query: statements.saveChallenge, values }]);
      return rows.length > 0;
    },
  };
};

const endStatements = (orm: Store["orm"]) => {
  const failing = { ...WITHOUT_SUCCESS, failures: sql`${certificates.failures} + 1` };
  const domainsOfName = orm
    .select({ one: sql`1` })
    .from(domains)
    .where(eq(domains.hostname, value("hostname")));
  return {
    install: updateStatement(orm, NEW_CERTIFICATE, isUnderWay),
    postpone: updateStatement(orm, WITHOUT_SUCCESS, isUnderWay),
    fail: updateStatement(orm, failing, isUnderWay),
    refuse: updateStatement(orm, { ...failing, ...NO_ORDER }, isUnderWay),
    forget: orm
      .delete(certificates)
      .where(and(isUnderWay, notExists(domainsOfName)))
      .returning({ hostname: certificates.hostname })
      .prepare(),
    insert: insertStatement(orm),
    installImported: updateStatement(orm, NEW_CERTIFICATE, hasName),
  };
};

/** The writes that end an attempt. */
const endWrites = ({ orm, commit }: Store, effects: DomainEffects) => {
  const statements = endStatements(orm);
  const count = attemptCounter({ orm });
  /** Ends the attempt. A domain that a CA has refused before is `issue_failed` again. */
  const end = async (query: Statement["query"], attempt: Attempt, failure: Failure, now: number) => {
    const { problem, nextAt } = failure;
    await commit(
      [{ query, values: { ...attempt, problem: JSON.stringify(problem), nextAt, now } }],
      ([changed]) =>
        problem.cause && (changed as unknown[]).length > 0 ? effects.issueRefused(attempt.hostname, now) : [],
    );
  };
  return {
    /**
     * Puts the certificate in use from the next handshake on, and its domain live, in one atomic step. False if the name is
     * gone or the attempt is over.
     */
    async install(attempt: Attempt, issued: Issued, nextAt: number, now: number): Promise<boolean> {
      const { hostname } = attempt;
      const [rows] = await commit([
        { query: statements.install, values: { ...attempt, nextAt, ...issued } },
        ...effects.certificateStored(hostname, issued.chain, now),
        ...(issued.ca === null ? [] : count(issued.ca, "issued", hostname, now)),
      ]);
      return rows.length > 0;
    },
    /** Installs an imported certificate, for a known name or a new one. It ends an attempt that is under way. */
    async installImported(hostname: string, issued: Issued, nextAt: number, now: number): Promise<void> {
      await commit([
        { query: statements.insert, values: { hostname, now } },
        { query: statements.installImported, values: { hostname, nextAt, ...issued } },
        ...effects.certificateStored(hostname, issued.chain, now),
      ]);
    },
    /** Ends the attempt without counting it as failed. */
    postpone: (attempt: Attempt, failure: Failure, now: number): Promise<void> =>
      end(statements.postpone, attempt, failure, now),
    /** Ends the attempt. A refused order is deleted, and its domain is `issue_failed`; the next attempt continues any other. */
    async fail(attempt: Attempt, failure: Failure, now: number): Promise<void> {
      const { hostname } = attempt;
      const { problem, nextAt, refusedBy } = failure;
      if (refusedBy === undefined) return end(statements.fail, attempt, failure, now);
      const values = { ...attempt, problem: JSON.stringify(problem), nextAt, now };
      await commit(
        [{ query: statements.refuse, values }, ...count(refusedBy, "refused", hostname, now)],
        ([changed]) => (changed.length > 0 ? effects.issueRefused(hostname, now) : []),
      );
    },
    /**
     * Deletes a name with its keys, unless the attempt is over or a project has the name as a domain, verified or not. True if
     * it was deleted.
     */
    async forget(attempt: Attempt): Promise<boolean> {
      const [rows] = await commit([{ query: statements.forget, values: { ...attempt } }]);
      return rows.length > 0;
    },
  };
};

/**
 * An attempt at a certificate, from `beginAttempt` to `install`, `postpone` or `fail`.
 *
 * A name waits until its `nextAt`, or until a certificate is requested (`isRequested`). Of all processes that read it then,
 * one begins the attempt: the others' revision is out of date. State is on disk before the CA depends on it: the key before
 * the order, the order before its challenge. So a crash loses nothing: `attemptSince` stays, the name is due at once, and the
 * next attempt continues the order. Every write of an attempt names its `attemptSince`, and changes nothing once another has begun,
 * or once an import has cleared it: then it returns false. A request during an attempt is met by its success; after a failure another attempt
 * begins at once, or within a minute after two refusals.
 */
export const attemptWrites = (store: Store, effects: DomainEffects) => ({
  ...orderWrites(store, effects),
  ...endWrites(store, effects),
});
