import { eq, notExists, and, sql } from "drizzle-orm";
import type { Statement } from "../db/commit.ts";
import type { Database } from "../db/open.ts";
import { certificates } from "../db/schema/certificates.ts";
import { domains } from "../db/schema/domains.ts";
import type { Problem } from "../protocols/acme/problem.ts";
import { attemptCounter } from "./ca-repository.ts";
import { AT_ONCE, type Certificate, type Issued, type PendingOrder } from "./certificate.ts";
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

/** What a certificate does to the domain of its name: statements for the act that writes the certificate. */
export interface DomainEffects {
  orderPlaced(hostname: string, now: number): readonly Statement[];
  /** Only if the certificate of this chain is in use. */
  certificateStored(hostname: string, chain: string, now: number): readonly Statement[];
  issueRefused(hostname: string, now: number): readonly Statement[];
}

/** Why an attempt failed, and when the next one is. */
export interface Failure {
  problem: Problem;
  nextAt: number | null;
  /** The CA that refused the order, if one did: it counts there. */
  refusedBy?: string | undefined;
}

type Store = Pick<Database, "orm" | "commit">;

const orderStatements = (orm: Store["orm"]) => ({
  begin: updateStatement(
    orm,
    { nextAt: AT_ONCE, isRequested: false, attemptSince: sql`${value("now")}` },
    isAsRead,
  ),
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

/** An attempt up to the CA's decision. */
const orderWrites = ({ orm, commit }: Store, effects: DomainEffects) => {
  const statements = orderStatements(orm);
  const count = attemptCounter({ orm });
  return {
    /** False, and nothing is written, if the name was written since it was read. */
    async beginAttempt({ hostname, revision }: AsRead, now: number): Promise<boolean> {
      const [rows] = await commit([{ query: statements.begin, values: { hostname, revision, now } }]);
      return rows.length > 0;
    },
    /** The key of an order, before it is placed. False if the attempt is over. */
    async saveOrderKey(hostname: string, { ca, key }: PendingOrder): Promise<boolean> {
      const [rows] = await commit([{ query: statements.saveKey, values: { hostname, ca, key } }]);
      return rows.length > 0;
    },
    /** An order that was placed, from which on the domain is `issuing`. False if the attempt is over. */
    async saveOrder(
      hostname: string,
      { ca, url }: { ca: string; url: string },
      now: number,
    ): Promise<boolean> {
      const [rows] = await commit([
        { query: statements.saveUrl, values: { hostname, url } },
        ...effects.orderPlaced(hostname, now),
        ...count(ca, "order", hostname, now),
      ]);
      return rows.length > 0;
    },
    async saveChallenge(hostname: string, token: string, keyAuthorization: string): Promise<void> {
      await commit([{ query: statements.saveChallenge, values: { hostname, token, keyAuthorization } }]);
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

/** How an attempt ends. */
const endWrites = ({ orm, commit }: Store, effects: DomainEffects) => {
  const statements = endStatements(orm);
  const count = attemptCounter({ orm });
  return {
    /**
     * The certificate is in use from the next handshake on, and its domain is live, in one atomic step. False if the name is
     * gone, or the attempt over.
     */
    async install(hostname: string, issued: Issued, nextAt: number, now: number): Promise<boolean> {
      const [rows] = await commit([
        { query: statements.install, values: { hostname, nextAt, ...issued } },
        ...effects.certificateStored(hostname, issued.chain, now),
        ...(issued.ca === null ? [] : count(issued.ca, "issued", hostname, now)),
      ]);
      return rows.length > 0;
    },
    /** The same for a certificate from elsewhere, of a known name or a new one. It ends an attempt that is under way. */
    async installImported(hostname: string, issued: Issued, nextAt: number, now: number): Promise<void> {
      await commit([
        { query: statements.insert, values: { hostname, now } },
        { query: statements.installImported, values: { hostname, nextAt, ...issued } },
        ...effects.certificateStored(hostname, issued.chain, now),
      ]);
    },
    /** Ends the attempt without counting it as failed. */
    async postpone(hostname: string, problem: Problem, nextAt: number): Promise<void> {
      const values = { hostname, problem: JSON.stringify(problem), nextAt };
      await commit([{ query: statements.postpone, values }]);
    },
    /** A refused order is forgotten, and its domain is `issue_failed`; any other order is continued by the next attempt. */
    async fail(hostname: string, { problem, nextAt, refusedBy }: Failure, now: number): Promise<void> {
      const values = { hostname, problem: JSON.stringify(problem), nextAt };
      const refusal =
        refusedBy === undefined
          ? []
          : [...effects.issueRefused(hostname, now), ...count(refusedBy, "refused", hostname, now)];
      const query = refusedBy === undefined ? statements.fail : statements.refuse;
      await commit([{ query, values }, ...refusal]);
    },
    /**
     * Forgets a name with its keys, unless the attempt is over, or the name is a project's domain, verified or not. True if it
     * is gone.
     */
    async forget(hostname: string): Promise<boolean> {
      const [rows] = await commit([{ query: statements.forget, values: { hostname } }]);
      return rows.length > 0;
    },
  };
};

/**
 * An attempt at a certificate, from `beginAttempt` to `install`, `postpone` or `fail`.
 *
 * A name waits until its `nextAt`, or until somebody asks (`isRequested`). Of all who read it then, one begins the attempt:
 * the others' revision is an old one. What the attempt needs later is on disk before the CA is told: the key before the
 * order, the order before its challenge. So a crash loses nothing: `attemptSince` stays, the name is due at once, and the
 * next attempt goes on with the order. An import ends the attempt: all of its writes find `attemptSince` gone, and say so.
 * If somebody asks while it is under way, its success is the answer, and its failure is followed by another at once.
 */
export const attemptWrites = (store: Store, effects: DomainEffects) => ({
  ...orderWrites(store, effects),
  ...endWrites(store, effects),
});
