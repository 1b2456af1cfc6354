import { type Column, type SQL, sql } from "drizzle-orm";
import type { Statement } from "../../data/db/commit.ts";
import type { Database } from "../../data/db/open.ts";
import { acmeAccounts, acmeAttempts, certificates } from "../../data/db/schema/certificates.ts";
import { domains } from "../../data/db/schema/domains.ts";
import { projects } from "../../data/db/schema/projects.ts";
import {
  type Changes,
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
  type Expiry,
  type Issued,
  type KeyPair,
  type PendingOrder,
  type StoredProblem,
  DUE_FIRST,
} from "./certificate.ts";

type Store = Pick<Database, "client" | "commit">;

type Row = typeof certificates.$inferSelect;

const HAS_NAME = sql`${certificates.hostname} = ${value("hostname")}`;
/** The attempt is still under way: no import has ended it, and no other process has begun another. */
const IS_UNDER_WAY = sql`${HAS_NAME} AND ${certificates.attemptSince} = ${value("attemptSince")}`;
/** The row has not changed since it was read. */
const IS_AS_READ = sql`${HAS_NAME} AND ${certificates.revision} = ${value("revision")}`;

const NO_ORDER = {
  orderAuthority: null,
  orderUrl: null,
  orderKey: null,
  token: null,
  keyAuthorization: null,
};

const NO_CERTIFICATE = {
  key: null,
  chain: null,
  authority: null,
  notBefore: null,
  notAfter: null,
  ariId: null,
};

/** The changes of a new certificate. It ends an attempt and meets a request. */
const NEW_CERTIFICATE = {
  ...NO_ORDER,
  ...valuesFor("key", "chain", "notBefore", "notAfter", "ariId", "nextAt"),
  authority: value("ca"),
  // Storing the same certificate again is not a renewal.
  renewals: sql`${certificates.renewals} + (${certificates.chain} IS NOT NULL AND ${certificates.chain} IS NOT ${value("chain")})`,
  isRequested: false,
  attemptSince: null,
  failures: 0,
  problem: null,
};

/** The longest delay of a requested attempt, in milliseconds. Without it, requests soon use up the CA's limit on refusals. */
const PAUSE_MS = 60_000;

/**
 * The time of a requested attempt, never later than `scheduled`.
 * @param nth of the name's recent refusals, newest first: the delay begins with it
 */
const requestedAt = (nth: number, scheduled: SQL): SQL => sql`min(
    coalesce((
      SELECT ${acmeAttempts.at}
      FROM ${acmeAttempts}
      WHERE ${acmeAttempts.hostname} = ${value("hostname")}
        AND ${acmeAttempts.kind} = 'refused'
        AND ${acmeAttempts.at} BETWEEN ${value("now")} - ${PAUSE_MS} + 1 AND ${value("now")}
      ORDER BY ${acmeAttempts.at} DESC
      LIMIT 1 OFFSET ${nth - 1}) + ${PAUSE_MS}, ${DUE_FIRST}),
    coalesce(${scheduled}, ${value("now")} + ${PAUSE_MS}))`;

/** The changes of an attempt that ends without a certificate. If another was requested meanwhile, it comes at `requestedAt`. */
const WITHOUT_SUCCESS = {
  attemptSince: null,
  problem: value("problem"),
  nextAt: sql`iif(${certificates.isRequested}, ${requestedAt(1, sql`${value("nextAt")}`)}, ${value("nextAt")})`,
};

/** Returns the changed row, if any. */
const changeWhere = (changes: Changes<typeof certificates>, condition: SQL) =>
  statement<Pick<Row, "hostname">>(sql`
    ${update(certificates, changes)}
    WHERE ${condition}
    RETURNING ${columnsOf(certificates, "hostname")}`);

/** True if the first statement of a write changed a row. */
const hasChanged = ([changed]: readonly [readonly unknown[], ...unknown[]]): boolean => changed.length > 0;

/** Adds a name, due immediately. An existing name keeps its row. */
const INSERT = statement(sql`
  ${insert(certificates, {
    hostname: value("hostname"),
    nextAt: value("now"),
    failures: 0,
    renewals: 0,
    createdAt: value("now"),
  })}
  ON CONFLICT DO NOTHING`);

/** A certificate in use, and how many its name had before. */
type UsedPair = KeyPair & Pick<Issued, "notBefore" | "notAfter"> & Pick<Row, "renewals">;

/** A certificate without its dates counts as expired, so that it is replaced: an error would end the work on all due names. */
const issuedOf = ({ key, chain, authority: ca, notBefore, notAfter, ariId }: Row): Issued | undefined =>
  key === null || chain === null
    ? undefined
    : { key, chain, ca, notBefore: notBefore ?? 0, notAfter: notAfter ?? 0, ariId };

const orderOf = ({ orderAuthority: ca, orderUrl: url, orderKey: key }: Row): PendingOrder | undefined =>
  ca === null || key === null ? undefined : { ca, url, key };

/** The private keys are only in `issued` and `order`. */
const toCertificate = (row: Row): Certificate => {
  const { key: _key, orderKey: _orderKey, ...rest } = row;
  return {
    ...rest,
    problem: row.problem === null ? undefined : (JSON.parse(row.problem) as StoredProblem),
    issued: issuedOf(row),
    order: orderOf(row),
  };
};

const FIND = statement(sql`
  SELECT ${columnsOf(certificates)}
  FROM ${certificates}
  WHERE ${HAS_NAME}`).as(toCertificate);

const LIST = statement(sql`
  SELECT ${columnsOf(certificates)}
  FROM ${certificates}
  WHERE ${certificates.hostname} > ${value("after")}
  ORDER BY ${certificates.hostname}
  LIMIT ${value("limit")}`).as(toCertificate);

const OWN_HOSTNAME = sql`${projects.slug} || '.' || ${value("domain")}`;

const MISSING = statement<Pick<Row, "hostname">>(sql`
  SELECT ${OWN_HOSTNAME} AS hostname
  FROM ${projects}
  WHERE ${projects.activeDeployId} IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM ${certificates} WHERE ${certificates.hostname} = ${OWN_HOSTNAME})
  LIMIT ${value("limit")}`);

const PAIR = statement<UsedPair>(sql`
  SELECT
    ${columnsOf(certificates, "key", "chain", "renewals")},
    coalesce(${certificates.notBefore}, 0) AS notBefore,
    coalesce(${certificates.notAfter}, 0) AS notAfter
  FROM ${certificates}
  WHERE ${HAS_NAME} AND ${certificates.key} IS NOT NULL AND ${certificates.chain} IS NOT NULL`);

const EXPIRIES = statement<Expiry>(sql`
  SELECT ${columnsOf(certificates, "hostname", "notAfter")}, coalesce(${certificates.notBefore}, 0) AS notBefore
  FROM ${certificates}
  WHERE ${certificates.notAfter} IS NOT NULL
  ORDER BY ${certificates.notAfter}`);

const PENDING = statement<Pick<Row, "token" | "keyAuthorization">>(sql`
  SELECT ${columnsOf(certificates, "token", "keyAuthorization")}
  FROM ${certificates}
  WHERE ${HAS_NAME}`);

/** The reads of handshakes, challenges and warnings are synchronous. */
const certificateReads = ({ client }: Store) => ({
  /** The key authorization of the challenge that is pending for this name. */
  pendingAuthorization: (hostname: string): string | undefined =>
    PENDING.get(client, { hostname })?.keyAuthorization ?? undefined,
  /** The certificate and key for connections to this name. */
  keyPair: (hostname: string) => PAIR.get(client, { hostname }),
  /** When the certificates in use are valid, those that expire first before the others. */
  expiries: () => EXPIRIES.all(client),
  /** The response to a CA that asks for this token under this name; undefined if no challenge is pending. */
  keyAuthorization(hostname: string, token: string): string | undefined {
    const pending = PENDING.get(client, { hostname });
    return (pending?.token === token && pending.keyAuthorization) || undefined;
  },
  /** Names below `domain` of projects that have a deploy and no row here; at most `limit`. */
  missingBelow: async (domain: string, limit: number) =>
    MISSING.all(client, { domain, limit }).map(({ hostname }) => hostname),
  find: async (hostname: string) => FIND.get(client, { hostname }),
  /** Ascending by name, starting after `after`. */
  list: async (page: { after: string; limit: number }) => LIST.all(client, page),
});

/** A name that is due. */
export interface QueueEntry {
  hostname: string;
  /** Its place among the names that wait for an order, from 1; 0 if it needs none. */
  place: number;
  /** True if it may use the reserve. Its place is then counted among such names only. */
  isPrior: boolean;
  /** True if an attempt is about to place an order for it. */
  isStarted: boolean;
}

/** The inputs that decide the turns of names. */
interface QueueOptions {
  now: number;
  /** Names that are served before all others. */
  first: readonly string[];
  /** The orders of a project at these CAs after `since` count as turns already taken. */
  authorities: readonly string[];
  since: number;
  /** A requested name may use the reserve if it is one of the first `reserve` names of its project. */
  reserve: number;
}

/** The project of a name. If several projects have it, the one that verified it last. */
const projectOf = (hostname: Column) => sql`(
          SELECT ${domains.projectId}
          FROM ${domains}
          WHERE ${domains.hostname} = ${hostname}
          ORDER BY ${domains.verifiedAt} DESC
          LIMIT 1)`;

const isListed = (values: string) => sql`IN (SELECT value FROM json_each(${value(values)}))`;

const HAS_NO_ORDER = sql`${certificates.orderUrl} IS NULL AND ${certificates.chain} IS NULL`;

type Flags = Record<"isPrior" | "isStarted", number>;

const QUEUE = statement(sql`
  SELECT
    name AS hostname,
    iif(needs_order, iif(is_prior, sum(needs_order AND is_prior) OVER places, sum(needs_order) OVER places), 0)
      AS place,
    is_prior AS isPrior,
    is_started AS isStarted
  FROM (
    WITH due AS (
      SELECT
        ${certificates.hostname} AS name,
        ${certificates.isRequested} AS is_requested,
        iif(${certificates.isRequested}, ${DUE_FIRST}, ${certificates.nextAt}) AS next_at,
        ${certificates.attemptSince} IS NOT NULL AS is_begun,
        ${certificates.attemptSince} IS NULL AND ${HAS_NO_ORDER} AS needs_order,
        ${certificates.attemptSince} IS NOT NULL AND ${HAS_NO_ORDER} AS is_started,
        ${certificates.hostname} ${isListed("first")} AS is_first,
        coalesce(${projectOf(certificates.hostname)}, ${certificates.hostname}) AS owner
      FROM ${certificates}
      WHERE ${certificates.nextAt} <= ${value("now")}
    ), recent AS (
      SELECT ${projectOf(acmeAttempts.hostname)} AS owner, count(*) AS orders
      FROM ${acmeAttempts}
      WHERE ${acmeAttempts.authority} ${isListed("authorities")}
        AND ${acmeAttempts.at} > ${value("since")}
        AND ${acmeAttempts.kind} = 'order'
      GROUP BY 1
    ), turns AS (
      SELECT
        due.*,
        iif(is_first, 0, coalesce(orders, 0) + row_number() OVER (
          PARTITION BY due.owner, needs_order ORDER BY next_at, name)) AS turn
      FROM due
      LEFT JOIN recent ON recent.owner = due.owner
    )
    SELECT *, is_requested AND turn <= ${value("reserve")} AS is_prior
    FROM turns
  )
  WINDOW places AS (ORDER BY turn, next_at, name)
  ORDER BY is_begun DESC, turn, next_at, name`).as(
  ({ isPrior, isStarted, ...entry }: Pick<QueueEntry, "hostname" | "place"> & Flags) => ({
    ...entry,
    isPrior: isPrior === 1,
    isStarted: isStarted === 1,
  }),
);

const ORDERS = statement<{ at: number }>(sql`
  SELECT ${acmeAttempts.at} AS at
  FROM ${acmeAttempts}
  WHERE ${acmeAttempts.authority} = ${value("ca")}
    AND ${acmeAttempts.at} > ${value("since")}
    AND ${acmeAttempts.kind} = 'order'
  ORDER BY ${acmeAttempts.at}`);

const queueReads = ({ client }: Store) => ({
  /**
   * The names that are due: attempts under way first, then in turn. Projects take turns: the first name of each, then the
   * second. Requested names come first. A renewal needs no place.
   */
  async queue({ first, authorities, ...numbers }: QueueOptions): Promise<QueueEntry[]> {
    const lists = { first: JSON.stringify(first), authorities: JSON.stringify(authorities) };
    return QUEUE.all(client, { ...numbers, ...lists });
  },
  /** When orders were placed at a CA after `since`, ascending. */
  ordersSince: async (ca: string, since: number) => ORDERS.all(client, { ca, since }).map(({ at }) => at),
});

/** Problem types that a request cannot bypass. */
const LIMITED = ["rateLimited", "budget"];
/** Problem types that a change of settings or network may have solved. */
const OF_THIS_MACHINE = [
  "budget",
  "no_authority",
  "challenge_unreachable",
  "challenge_not_published",
  "challenge_not_visible",
  "platform_unready",
  "records_unknown",
  "unreachable",
  "malformed_answer",
  "internal",
  "unknown_profile",
  "invalidProfile",
];

const PROBLEM_TYPE = sql`json_extract(${certificates.problem}, '$.type')`;

const PUT_OFF = changeWhere({ nextAt: value("nextAt") }, IS_AS_READ);
const RETRY = changeWhere({ nextAt: value("nextAt") }, sql`${PROBLEM_TYPE} IN ${OF_THIS_MACHINE}`);
const REQUEST = changeWhere(
  { nextAt: requestedAt(2, sql`${certificates.nextAt}`), isRequested: true },
  sql`${HAS_NAME} AND coalesce(${PROBLEM_TYPE}, '') NOT IN ${LIMITED}`,
);
const WITHDRAW = changeWhere(
  { ...NO_ORDER, ...NO_CERTIFICATE, nextAt: DUE_FIRST, isRequested: true },
  sql`${HAS_NAME} AND ${certificates.chain} = ${value("chain")}`,
);

const REFUSED = statement(sql`
  SELECT 1
  FROM ${certificates}
  WHERE ${HAS_NAME} AND json_extract(${certificates.problem}, '$.cause') IS NOT NULL`);

/** The writes that schedule a name's next attempt. */
const scheduleWrites = ({ commit }: Store, effects: DomainEffects) => ({
  /** Adds these names, due immediately. Existing names keep their rows. */
  async want(hostnames: readonly string[], now: number): Promise<void> {
    if (hostnames.length === 0) return;
    await commit(hostnames.map((hostname) => INSERT.with({ hostname, now })));
  },
  /** Makes the name due at that time instead, unless its row has changed since it was read. */
  async putOff({ hostname, revision }: AsRead, nextAt: number): Promise<void> {
    await commit([PUT_OFF.with({ hostname, revision, nextAt })]);
  },
  /** Makes names due whose last problem came from the service's settings or network. */
  async retryAfterRestart(now: number): Promise<void> {
    await commit([RETRY.with({ nextAt: now })]);
  },
  /**
   * Requests a certificate now, or within a minute after two refusals. False if the name is unknown or a limit makes it wait:
   * then a domain that a CA has refused is `issue_failed` again.
   */
  async request(hostname: string, now: number): Promise<boolean> {
    const [rows] = await commit(
      [REQUEST.with({ hostname, now }), REFUSED.with({ hostname })],
      ([, refused]) => (refused.length > 0 ? effects.issueRefused(hostname, now) : []),
    );
    return rows.length > 0;
  },
  /** Stops using the certificate with this chain, and requests another. */
  async withdraw(hostname: string, chain: string): Promise<void> {
    await commit([WITHDRAW.with({ hostname, chain })]);
  },
});

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
const caReadsAndWrites = ({ client, commit }: Store) => {
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
type AsRead = Pick<Certificate, "hostname" | "revision">;

/** An attempt at a certificate: `attemptSince` tells it from those that began before and after it. */
export type Attempt = Pick<Certificate, "hostname"> & { attemptSince: number };

/** Statements that update the domain of a name in the transaction that writes its certificate. */
interface DomainEffects {
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

const BEGIN = statement<Attempt>(sql`
  ${update(certificates, {
    nextAt: DUE_FIRST,
    isRequested: false,
    // Later than that of an attempt that a crash has ended, or that another process believes to be under way.
    attemptSince: sql`max(${value("now")}, coalesce(${certificates.attemptSince} + 1, 0))`,
  })}
  WHERE ${IS_AS_READ}
  RETURNING ${columnsOf(certificates, "hostname", "attemptSince")}`);

const SAVE_KEY = changeWhere(
  { ...NO_ORDER, orderAuthority: value("ca"), orderKey: value("key") },
  IS_UNDER_WAY,
);
const SAVE_URL = changeWhere({ orderUrl: value("url") }, IS_UNDER_WAY);
const SAVE_CHALLENGE = changeWhere(valuesFor("token", "keyAuthorization"), IS_UNDER_WAY);

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
const attemptWrites = ({ commit }: Store, effects: DomainEffects) => {
  const end = async (query: Query<unknown>, attempt: Attempt, failure: Failure, now: number) => {
    const { problem, nextAt, refusedBy } = failure;
    const { hostname } = attempt;
    const ended = query.with({ ...attempt, problem: JSON.stringify(problem), nextAt, now });
    const counted = refusedBy === undefined ? [] : count(refusedBy, "refused", hostname, now);
    // Also if the CA has refused the domain before.
    const isRefused = refusedBy !== undefined || problem.cause !== undefined;
    await commit([ended, ...counted], ([changed]) =>
      isRefused && changed.length > 0 ? effects.issueRefused(hostname, now) : [],
    );
  };
  return {
    /** The attempt; undefined, without a change, if the row has changed since it was read. */
    async beginAttempt({ hostname, revision }: AsRead, now: number): Promise<Attempt | undefined> {
      const [[attempt]] = await commit([BEGIN.with({ hostname, revision, now })]);
      return attempt;
    },
    /** Stores the key of an order before it is placed. False if the attempt is over. */
    saveOrderKey: async (attempt: Attempt, { ca, key }: PendingOrder) =>
      hasChanged(await commit([SAVE_KEY.with({ ...attempt, ca, key })])),
    /** Stores a placed order, and makes its domain `issuing`. False if the attempt is over. */
    async saveOrder(attempt: Attempt, { ca, url }: { ca: string; url: string }, now: number) {
      const { hostname } = attempt;
      const statements = [SAVE_URL.with({ ...attempt, url }), ...count(ca, "order", hostname, now)] as const;
      const rows = await commit(statements, ([changed]) =>
        changed.length > 0 ? effects.orderPlaced(hostname, now) : [],
      );
      return hasChanged(rows);
    },
    /** Stores the response to a challenge before the CA asks for it. False if the attempt is over. */
    saveChallenge: async (attempt: Attempt, token: string, keyAuthorization: string) =>
      hasChanged(await commit([SAVE_CHALLENGE.with({ ...attempt, token, keyAuthorization })])),
    /**
     * Puts the certificate in use from the next handshake on, and its domain live, in one atomic step. False if the name is removed
     * or the attempt is over.
     */
    async install(attempt: Attempt, issued: Issued, nextAt: number, now: number): Promise<boolean> {
      const { hostname } = attempt;
      return hasChanged(
        await commit([
          INSTALL.with({ ...attempt, nextAt, ...issued }),
          ...effects.certificateStored(hostname, issued.chain, now),
          ...(issued.ca === null ? [] : count(issued.ca, "issued", hostname, now)),
        ]),
      );
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
    postpone: (attempt: Attempt, failure: Failure, now: number) => end(POSTPONE, attempt, failure, now),
    /** Ends the attempt. A refused order is deleted, and its domain is `issue_failed`; the next attempt continues any other. */
    fail: (attempt: Attempt, failure: Failure, now: number) =>
      end(failure.refusedBy === undefined ? FAIL : REFUSE, attempt, failure, now),
    /**
     * Deletes a name with its keys, unless the attempt is over or a project has the name as a domain, verified or not. True if
     * it was deleted.
     */
    forget: async (attempt: Attempt) => hasChanged(await commit([FORGET.with(attempt)])),
  };
};

/** Certificates, the attempts to get them, and the accounts with CAs. */
export const certificateRepository = (database: Store, effects: DomainEffects) => ({
  ...certificateReads(database),
  ...scheduleWrites(database, effects),
  ...attemptWrites(database, effects),
  ...caReadsAndWrites(database),
  ...queueReads(database),
});

export type Certificates = ReturnType<typeof certificateRepository>;
