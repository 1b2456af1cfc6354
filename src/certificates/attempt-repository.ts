import { and, desc, eq, gt, lte, notExists, sql } from "drizzle-orm";
import type { Statement } from "../db/commit.ts";
import type { Database } from "../db/open.ts";
import { acmeAccounts, acmeAttempts, certificates } from "../db/schema/certificates.ts";
import { domains } from "../db/schema/domains.ts";
import { MAX_WINDOW_MS } from "../lib/acme-limits.ts";
import { apexOf } from "../lib/hostname.ts";
import type { AccountKey } from "../protocols/acme/keys.ts";
import type { AttemptKind, Counted } from "./budget.ts";
import {
  type Certificate,
  type Issued,
  type PendingOrder,
  type StoredProblem,
  AT_ONCE,
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

/** The service's account with a CA. */
interface StoredAccount {
  key: AccountKey;
  /** Undefined before it is registered. */
  url: string | undefined;
}

/** Statements that count an attempt at a CA and delete those that no longer count. */
const attemptCounter = ({ orm }: Pick<Database, "orm">) => {
  const countStatement = orm
    .insert(acmeAttempts)
    .values({
      authority: value("ca"),
      kind: value("kind"),
      hostname: value("hostname"),
      apex: value("apex"),
      at: value("now"),
    })
    .prepare();
  const pruneStatement = orm
    .delete(acmeAttempts)
    .where(lte(acmeAttempts.at, value("before")))
    .prepare();
  return (ca: string, kind: AttemptKind, hostname: string, now: number): readonly Statement[] => {
    return [
      { query: countStatement, values: { ca, kind, hostname, apex: apexOf(hostname), now } },
      { query: pruneStatement, values: { before: now - MAX_WINDOW_MS } },
    ];
  };
};

/** The service's account with each CA, and the attempts that count there. A CA is identified by its directory's URL. */
export const caReadsAndWrites = ({ orm, commit }: Pick<Database, "orm" | "commit">) => {
  const nthStatement = orm
    .select({ at: acmeAttempts.at })
    .from(acmeAttempts)
    .where(
      and(
        eq(acmeAttempts.authority, value("ca")),
        gt(acmeAttempts.at, value("since")),
        eq(acmeAttempts.kind, value("kind")),
        sql`${acmeAttempts.hostname} = coalesce(${value("hostname")}, ${acmeAttempts.hostname})`,
        sql`${acmeAttempts.apex} = coalesce(${value("apex")}, ${acmeAttempts.apex})`,
      ),
    )
    .orderBy(desc(acmeAttempts.at))
    .limit(1)
    .offset(value("newer"))
    .prepare();
  const isOfCa = eq(acmeAccounts.authority, value("ca"));
  const accountStatement = orm.select().from(acmeAccounts).where(isOfCa).limit(1).prepare();
  const saveStatement = orm
    .insert(acmeAccounts)
    .values({ authority: value("ca"), key: value("key"), url: value("url") })
    .onConflictDoUpdate({
      target: acmeAccounts.authority,
      set: { key: sql`excluded.key`, url: sql`excluded.url` },
    })
    .prepare();
  const addStatement = orm
    .insert(acmeAccounts)
    .values({ authority: value("ca"), key: value("key") })
    .onConflictDoNothing()
    .prepare();
  const deleteStatement = orm.delete(acmeAccounts).where(isOfCa).prepare();

  const account = async (ca: string): Promise<StoredAccount | undefined> => {
    const row = accountStatement.get({ ca });
    return row && { key: JSON.parse(row.key) as AccountKey, url: row.url ?? undefined };
  };

  return {
    account,
    /** Stores the key of a new account, unless the CA already has one. @returns the account that is stored then */
    async addAccount(ca: string, key: AccountKey): Promise<StoredAccount> {
      await commit([{ query: addStatement, values: { ca, key: JSON.stringify(key) } }]);
      return (await account(ca)) ?? { key, url: undefined };
    },
    /** When the nth newest of these attempts at a CA was, from 1; undefined if there are fewer. */
    nthAttempt: (ca: string, { hostname = null, apex = null, ...counted }: Counted, nth: number) =>
      nthStatement.get({ ca, hostname, apex, ...counted, newer: nth - 1 })?.at,
    async saveAccount(ca: string, { key, url }: StoredAccount): Promise<void> {
      await commit([{ query: saveStatement, values: { ca, key: JSON.stringify(key), url: url ?? null } }]);
    },
    /** Deletes an account that the CA no longer knows: the next order registers a new one. */
    async forgetAccount(ca: string): Promise<void> {
      await commit([{ query: deleteStatement, values: { ca } }]);
    },
  };
};

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
interface Failure {
  problem: StoredProblem;
  nextAt: number | null;
  /** The CA that refused the order, if one did: the refusal counts towards its limits. */
  refusedBy?: string | undefined;
}

type Store = Pick<Database, "orm" | "commit">;

/** The writes of an attempt up to the CA's decision. */
const orderWrites = ({ orm, commit }: Store, effects: DomainEffects) => {
  const statements = {
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
  };
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

/** The writes that end an attempt. */
const endWrites = ({ orm, commit }: Store, effects: DomainEffects) => {
  const failing = { ...WITHOUT_SUCCESS, failures: sql`${certificates.failures} + 1` };
  const domainsOfName = orm
    .select({ one: sql`1` })
    .from(domains)
    .where(eq(domains.hostname, value("hostname")));
  const statements = {
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
     * removed or the attempt is over.
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
 * the order, the order before its challenge. So a crash loses nothing: `attemptSince` stays, the name is due immediately, and the
 * next attempt continues the order. Every write of an attempt names its `attemptSince`, and changes nothing once another has begun,
 * or once an import has cleared it: then it returns false. A request during an attempt is met by its success; after a failure another attempt
 * begins immediately, or within a minute after two refusals.
 */
export const attemptWrites = (store: Store, effects: DomainEffects) => ({
  ...orderWrites(store, effects),
  ...endWrites(store, effects),
});
