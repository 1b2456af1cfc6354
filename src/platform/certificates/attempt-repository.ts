import { sql } from "drizzle-orm";
import type { Statement } from "../../data/db/commit.ts";
import type { Database } from "../../data/db/open.ts";
import { acmeAccounts, acmeAttempts, certificates } from "../../data/db/schema/certificates.ts";
import { domains } from "../../data/db/schema/domains.ts";
import {
  type Query,
  columnsOf,
  insert,
  set,
  statement,
  update,
  value,
  valuesFor,
} from "../../data/db/statement.ts";
import { MAX_WINDOW_MS } from "../../lib/acme-limits.ts";
import { apexOf } from "../../lib/hostname.ts";
import type { AccountKey } from "../../protocols/acme/keys.ts";
import type { AttemptKind, Counted } from "./budget.ts";
import {
  type Certificate,
  type Issued,
  type PendingOrder,
  type StoredProblem,
  AT_ONCE,
} from "./certificate.ts";
import {
  type Row,
  HAS_NAME,
  INSERT,
  IS_AS_READ,
  IS_UNDER_WAY,
  NEW_CERTIFICATE,
  NO_ORDER,
  WITHOUT_SUCCESS,
  changeWhere,
} from "./queries.ts";

/** The service's account with a CA. */
interface StoredAccount {
  key: AccountKey;
  /** Undefined before it is registered. */
  url: string | undefined;
}

const COUNT = statement(
  insert(acmeAttempts, {
    authority: value("ca"),
    at: value("now"),
    ...valuesFor("kind", "hostname", "apex"),
  }),
);

const PRUNE = statement(sql`DELETE FROM ${acmeAttempts} WHERE ${acmeAttempts.at} <= ${value("before")}`);

/** Statements that count an attempt at a CA and delete those that no longer count. */
const count = (ca: string, kind: AttemptKind, hostname: string, now: number): readonly Statement[] => [
  COUNT.with({ ca, kind, hostname, apex: apexOf(hostname), now }),
  PRUNE.with({ before: now - MAX_WINDOW_MS }),
];

const NTH_ATTEMPT = statement<{ at: number }>(sql`
  SELECT ${acmeAttempts.at} AS at
  FROM ${acmeAttempts}
  WHERE ${acmeAttempts.authority} = ${value("ca")}
    AND ${acmeAttempts.at} > ${value("since")}
    AND ${acmeAttempts.kind} = ${value("kind")}
    AND ${acmeAttempts.hostname} = coalesce(${value("hostname")}, ${acmeAttempts.hostname})
    AND ${acmeAttempts.apex} = coalesce(${value("apex")}, ${acmeAttempts.apex})
  ORDER BY ${acmeAttempts.at} DESC
  LIMIT 1 OFFSET ${value("newer")}`);

const IS_OF_CA = sql`${acmeAccounts.authority} = ${value("ca")}`;

const ACCOUNT = statement(sql`
  SELECT ${columnsOf(acmeAccounts)}
  FROM ${acmeAccounts}
  WHERE ${IS_OF_CA}`).as(({ key, url }: typeof acmeAccounts.$inferSelect): StoredAccount => ({
  key: JSON.parse(key) as AccountKey,
  url: url ?? undefined,
}));

const SAVE_ACCOUNT = statement(sql`
  ${insert(acmeAccounts, { authority: value("ca"), ...valuesFor("key", "url") })}
  ON CONFLICT (authority) DO UPDATE ${set(acmeAccounts, valuesFor("key", "url"))}`);

const ADD_ACCOUNT = statement(sql`
  ${insert(acmeAccounts, { authority: value("ca"), key: value("key") })}
  ON CONFLICT DO NOTHING`);

const FORGET_ACCOUNT = statement(sql`DELETE FROM ${acmeAccounts} WHERE ${IS_OF_CA}`);

/** The service's account with each CA, and the attempts that count there. A CA is identified by its directory's URL. */
export const caReadsAndWrites = ({ client, commit }: Pick<Database, "client" | "commit">) => {
  const account = async (ca: string) => ACCOUNT.get(client, { ca });

  return {
    account,
    /** Stores the key of a new account, unless the CA already has one. @returns the account that is stored then */
    async addAccount(ca: string, key: AccountKey): Promise<StoredAccount> {
      await commit([ADD_ACCOUNT.with({ ca, key: JSON.stringify(key) })]);
      return (await account(ca)) ?? { key, url: undefined };
    },
    /** When the nth newest of these attempts at a CA was, from 1; undefined if there are fewer. */
    nthAttempt: (ca: string, { hostname = null, apex = null, ...counted }: Counted, nth: number) =>
      NTH_ATTEMPT.get(client, { ca, hostname, apex, ...counted, newer: nth - 1 })?.at,
    async saveAccount(ca: string, { key, url }: StoredAccount): Promise<void> {
      await commit([SAVE_ACCOUNT.with({ ca, key: JSON.stringify(key), url: url ?? null })]);
    },
    /** Deletes an account that the CA no longer knows: the next order registers a new one. */
    async forgetAccount(ca: string): Promise<void> {
      await commit([FORGET_ACCOUNT.with({ ca })]);
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

const BEGIN = statement<Pick<Row, "attemptSince">>(sql`
  ${update(certificates, {
    nextAt: AT_ONCE,
    isRequested: false,
    // Later than that of an attempt that a crash has ended, or that another process believes to be under way.
    attemptSince: sql`max(${value("now")}, coalesce(${certificates.attemptSince} + 1, 0))`,
  })}
  WHERE ${IS_AS_READ}
  RETURNING ${columnsOf(certificates, "attemptSince")}`);

const SAVE_KEY = changeWhere(
  { ...NO_ORDER, orderAuthority: value("ca"), orderKey: value("key") },
  IS_UNDER_WAY,
);
const SAVE_URL = changeWhere({ orderUrl: value("url") }, IS_UNDER_WAY);
const SAVE_CHALLENGE = changeWhere(valuesFor("token", "keyAuthorization"), IS_UNDER_WAY);

/** The writes of an attempt up to the CA's decision. */
const orderWrites = ({ commit }: Pick<Database, "commit">, effects: DomainEffects) => ({
  /** The attempt; undefined, without a change, if the row has changed since it was read. */
  async beginAttempt({ hostname, revision }: AsRead, now: number): Promise<Attempt | undefined> {
    const [[row]] = await commit([BEGIN.with({ hostname, revision, now })]);
    return row && { hostname, attemptSince: row.attemptSince ?? now };
  },
  /** Stores the key of an order before it is placed. False if the attempt is over. */
  async saveOrderKey(attempt: Attempt, { ca, key }: PendingOrder): Promise<boolean> {
    const [rows] = await commit([SAVE_KEY.with({ ...attempt, ca, key })]);
    return rows.length > 0;
  },
  /** Stores a placed order, and makes its domain `issuing`. False if the attempt is over. */
  async saveOrder(attempt: Attempt, { ca, url }: { ca: string; url: string }, now: number): Promise<boolean> {
    const { hostname } = attempt;
    const [rows] = await commit(
      [SAVE_URL.with({ ...attempt, url }), ...count(ca, "order", hostname, now)],
      ([changed]) => (changed.length > 0 ? effects.orderPlaced(hostname, now) : []),
    );
    return rows.length > 0;
  },
  /** False if the attempt is over. */
  async saveChallenge(attempt: Attempt, token: string, keyAuthorization: string): Promise<boolean> {
    const values = { ...attempt, token, keyAuthorization };
    const [rows] = await commit([SAVE_CHALLENGE.with(values)]);
    return rows.length > 0;
  },
});

const FAILING = { ...WITHOUT_SUCCESS, failures: sql`${certificates.failures} + 1` };

const INSTALL = changeWhere(NEW_CERTIFICATE, IS_UNDER_WAY);
const INSTALL_IMPORTED = changeWhere(NEW_CERTIFICATE, HAS_NAME);
const POSTPONE = changeWhere(WITHOUT_SUCCESS, IS_UNDER_WAY);
const FAIL = changeWhere(FAILING, IS_UNDER_WAY);
const REFUSE = changeWhere({ ...FAILING, ...NO_ORDER }, IS_UNDER_WAY);

const FORGET = statement<Pick<Row, "hostname">>(sql`
  DELETE FROM ${certificates}
  WHERE ${IS_UNDER_WAY}
    AND NOT EXISTS (SELECT 1 FROM ${domains} WHERE ${domains.hostname} = ${value("hostname")})
  RETURNING ${columnsOf(certificates, "hostname")}`);

/** The writes that end an attempt. */
const endWrites = ({ commit }: Pick<Database, "commit">, effects: DomainEffects) => {
  /** Ends the attempt. A domain that a CA has refused before is `issue_failed` again. */
  const end = async (query: Query<unknown>, attempt: Attempt, failure: Failure, now: number) => {
    const { problem, nextAt } = failure;
    await commit([query.with({ ...attempt, problem: JSON.stringify(problem), nextAt, now })], ([changed]) =>
      problem.cause && changed.length > 0 ? effects.issueRefused(attempt.hostname, now) : [],
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
        INSTALL.with({ ...attempt, nextAt, ...issued }),
        ...effects.certificateStored(hostname, issued.chain, now),
        ...(issued.ca === null ? [] : count(issued.ca, "issued", hostname, now)),
      ]);
      return rows.length > 0;
    },
    /** Installs an imported certificate, for a known name or a new one. It ends an attempt that is under way. */
    async installImported(hostname: string, issued: Issued, nextAt: number, now: number): Promise<void> {
      await commit([
        INSERT.with({ hostname, now }),
        INSTALL_IMPORTED.with({ hostname, nextAt, ...issued }),
        ...effects.certificateStored(hostname, issued.chain, now),
      ]);
    },
    /** Ends the attempt without counting it as failed. */
    postpone: (attempt: Attempt, failure: Failure, now: number): Promise<void> =>
      end(POSTPONE, attempt, failure, now),
    /** Ends the attempt. A refused order is deleted, and its domain is `issue_failed`; the next attempt continues any other. */
    async fail(attempt: Attempt, failure: Failure, now: number): Promise<void> {
      const { hostname } = attempt;
      const { problem, nextAt, refusedBy } = failure;
      if (refusedBy === undefined) return end(FAIL, attempt, failure, now);
      const values = { ...attempt, problem: JSON.stringify(problem), nextAt, now };
      await commit([REFUSE.with(values), ...count(refusedBy, "refused", hostname, now)], ([changed]) =>
        changed.length > 0 ? effects.issueRefused(hostname, now) : [],
      );
    },
    /**
     * Deletes a name with its keys, unless the attempt is over or a project has the name as a domain, verified or not. True if
     * it was deleted.
     */
    async forget(attempt: Attempt): Promise<boolean> {
      const [rows] = await commit([FORGET.with(attempt)]);
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
export const attemptWrites = (store: Pick<Database, "commit">, effects: DomainEffects) => ({
  ...orderWrites(store, effects),
  ...endWrites(store, effects),
});
