import { type Column, sql } from "drizzle-orm";
import type { Database } from "../../data/db/open.ts";
import { acmeAttempts, certificates } from "../../data/db/schema/certificates.ts";
import { domains } from "../../data/db/schema/domains.ts";
import { projects } from "../../data/db/schema/projects.ts";
import { columnsOf, statement, value } from "../../data/db/statement.ts";
import { type AsRead, type DomainEffects, attemptWrites, caReadsAndWrites } from "./attempt-repository.ts";
import {
  type Certificate,
  type Expiry,
  type Issued,
  type KeyPair,
  type PendingOrder,
  type StoredProblem,
  AT_ONCE,
} from "./certificate.ts";
import {
  type Row,
  HAS_NAME,
  INSERT,
  IS_AS_READ,
  NO_CERTIFICATE,
  NO_ORDER,
  requestedAt,
  changeWhere,
} from "./queries.ts";

/** A certificate in use, and how many its name had before. */
type UsedPair = KeyPair & Pick<Issued, "notBefore" | "notAfter"> & Pick<Row, "renewals">;

const issuedOf = ({ key, chain, authority, notBefore, notAfter, ariId }: Row): Issued | undefined =>
  key === null || chain === null
    ? undefined
    : { key, chain, ca: authority, notBefore: notBefore ?? 0, notAfter: notAfter ?? 0, ariId };

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

const certificateReads = ({ client }: Pick<Database, "client">) => ({
  // The reads of handshakes, challenges and warnings are synchronous.
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
        iif(${certificates.isRequested}, ${AT_ONCE}, ${certificates.nextAt}) AS next_at,
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

const queueReads = ({ client }: Pick<Database, "client">) => ({
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
  { ...NO_ORDER, ...NO_CERTIFICATE, nextAt: AT_ONCE, isRequested: true },
  sql`${HAS_NAME} AND ${certificates.chain} = ${value("chain")}`,
);

const REFUSED = statement(sql`
  SELECT 1
  FROM ${certificates}
  WHERE ${HAS_NAME} AND json_extract(${certificates.problem}, '$.cause') IS NOT NULL`);

/** The writes that schedule a name's next attempt. */
const scheduleWrites = ({ commit }: Pick<Database, "commit">, effects: DomainEffects) => ({
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

/** Certificates, the attempts to get them, and the accounts with CAs. */
export const certificateRepository = (
  database: Pick<Database, "client" | "commit">,
  effects: DomainEffects,
) => ({
  ...certificateReads(database),
  ...scheduleWrites(database, effects),
  ...attemptWrites(database, effects),
  ...caReadsAndWrites(database),
  ...queueReads(database),
});

export type Certificates = ReturnType<typeof certificateRepository>;
