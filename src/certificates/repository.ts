import { and, asc, eq, gt, inArray, isNotNull, notExists, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { acmeAttempts, certificates } from "../db/schema/certificates.ts";
import { projects } from "../db/schema/projects.ts";
import { type AsRead, type DomainEffects, attemptWrites, caReadsAndWrites } from "./attempt-repository.ts";
import {
  type Certificate,
  type Expiry,
  type Issued,
  type KeyPair,
  type StoredProblem,
  AT_ONCE,
} from "./certificate.ts";
import {
  NO_CERTIFICATE,
  NO_ORDER,
  hasName,
  insertStatement,
  isAsRead,
  requestedAt,
  updateStatement,
  value,
} from "./queries.ts";

/** A certificate in use, and how many its name had before. */
interface UsedPair extends KeyPair, Pick<Issued, "notBefore" | "notAfter"> {
  renewals: number;
}

type Row = typeof certificates.$inferSelect;
type Orm = Database["orm"];

const issuedOf = ({ key, chain, authority, notBefore, notAfter, ariId }: Row): Issued | undefined =>
  key === null || chain === null
    ? undefined
    : { key, chain, ca: authority, notBefore: notBefore ?? 0, notAfter: notAfter ?? 0, ariId };

const toCertificate = (row: Row): Certificate => ({
  hostname: row.hostname,
  createdAt: row.createdAt,
  nextAt: row.nextAt,
  isRequested: row.isRequested,
  attemptSince: row.attemptSince,
  revision: row.revision,
  failures: row.failures,
  problem: row.problem === null ? undefined : (JSON.parse(row.problem) as StoredProblem),
  issued: issuedOf(row),
  order:
    row.orderAuthority === null || row.orderKey === null
      ? undefined
      : { ca: row.orderAuthority, url: row.orderUrl, key: row.orderKey },
  keyAuthorization: row.keyAuthorization,
});

/** Names below PLATFORM_DOMAIN of projects that have a deploy, and no row here. */
const missingStatement = (orm: Orm) => {
  const hostname = sql<string>`${projects.slug} || '.' || ${value("domain")}`;
  const known = orm
    .select({ one: sql`1` })
    .from(certificates)
    .where(eq(certificates.hostname, hostname));
  return orm
    .select({ hostname: hostname.as("hostname") })
    .from(projects)
    .where(and(isNotNull(projects.activeDeployId), notExists(known)))
    .limit(value("limit"))
    .prepare();
};

const certificateReads = ({ orm }: Pick<Database, "orm">) => {
  const rows = () => orm.select().from(certificates);
  const findStatement = rows().where(hasName).limit(1).prepare();
  const listStatement = rows()
    .where(gt(certificates.hostname, value("after")))
    .orderBy(asc(certificates.hostname))
    .limit(value("limit"))
    .prepare();
  const missing = missingStatement(orm);
  const pairStatement = orm
    .select({
      key: certificates.key,
      chain: certificates.chain,
      notBefore: certificates.notBefore,
      notAfter: certificates.notAfter,
      renewals: certificates.renewals,
    })
    .from(certificates)
    .where(hasName)
    .limit(1)
    .prepare();
  const expiryStatement = orm
    .select({
      hostname: certificates.hostname,
      notBefore: certificates.notBefore,
      notAfter: certificates.notAfter,
    })
    .from(certificates)
    .where(isNotNull(certificates.notAfter))
    .orderBy(asc(certificates.notAfter))
    .prepare();
  const pendingStatement = orm
    .select({ token: certificates.token, keyAuthorization: certificates.keyAuthorization })
    .from(certificates)
    .where(hasName)
    .limit(1)
    .prepare();
  return {
    // The reads of handshakes, challenges and warnings are synchronous.
    /** The key authorization of the challenge that is pending for this name. */
    pendingAuthorization: (hostname: string): string | undefined =>
      pendingStatement.get({ hostname })?.keyAuthorization ?? undefined,
    /** The certificate and key for connections to this name. */
    keyPair(hostname: string): UsedPair | undefined {
      const row = pairStatement.get({ hostname });
      if (!row?.key || !row.chain) return undefined;
      const { key, chain, notBefore, notAfter, renewals } = row;
      return { key, chain, notBefore: notBefore ?? 0, notAfter: notAfter ?? 0, renewals };
    },
    /** When the certificates in use are valid, those that expire first before the others. */
    expiries: (): Expiry[] =>
      expiryStatement.all().map(({ hostname, notBefore, notAfter }) => ({
        hostname,
        notBefore: notBefore ?? 0,
        notAfter: notAfter ?? 0,
      })),
    /** The response to a CA that asks for this token under this name; undefined if no challenge is pending. */
    keyAuthorization(hostname: string, token: string): string | undefined {
      const pending = pendingStatement.get({ hostname });
      return (pending?.token === token && pending.keyAuthorization) || undefined;
    },
    /** Names below `domain` of projects that have a deploy and no row here; at most `limit`. */
    async missingBelow(domain: string, limit: number): Promise<string[]> {
      return missing.all({ domain, limit }).map(({ hostname }) => hostname);
    },
    async find(hostname: string): Promise<Certificate | undefined> {
      const row = findStatement.get({ hostname });
      return row && toCertificate(row);
    },
    /** Ascending by name, starting after `after`. */
    async list(page: { after: string; limit: number }): Promise<Certificate[]> {
      return listStatement.all({ ...page }).map(toCertificate);
    },
  };
};

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
const projectOf = (hostname: string) =>
  sql.raw(`(select project_id from domains where hostname = ${hostname} order by verified_at desc limit 1)`);

const queueStatement = ({ orm }: Pick<Database, "orm">) =>
  orm
    .select({
      hostname: sql<string>`name`,
      place: sql<number>`iif(needs_order, iif(is_prior, sum(needs_order and is_prior) over places, sum(needs_order) over places), 0)`,
      isPrior: sql`is_prior`.mapWith(Boolean),
      isStarted: sql`is_started`.mapWith(Boolean),
    })
    .from(
      sql`(
        with due as (
          select hostname as name, is_requested, iif(is_requested, ${AT_ONCE}, next_at) as next_at, attempt_since is not null as is_begun,
            attempt_since is null and order_url is null and chain is null as needs_order,
            attempt_since is not null and order_url is null and chain is null as is_started,
            hostname in (select value from json_each(${value("first")})) as is_first,
            coalesce(${projectOf("certificates.hostname")}, hostname) as owner
          from certificates where certificates.next_at <= ${value("now")}
        ), recent as (
          select ${projectOf("acme_attempts.hostname")} as owner, count(*) as orders from acme_attempts
          where authority in (select value from json_each(${value("authorities")})) and at > ${value("since")} and kind = 'order'
          group by 1
        ), turns as (
          select due.*, iif(is_first, 0, coalesce(orders, 0) + row_number() over (
            partition by due.owner, needs_order order by next_at, name)) as turn
          from due left join recent on recent.owner = due.owner
        )
        select *, is_requested and turn <= ${value("reserve")} as is_prior from turns
      ) window places as (order by turn, next_at, name)`,
    )
    .orderBy(sql`is_begun desc, turn, next_at, name`)
    .prepare();

const queueReads = (database: Pick<Database, "orm">) => {
  const statement = queueStatement(database);
  const ordersStatement = database.orm
    .select({ at: acmeAttempts.at })
    .from(acmeAttempts)
    .where(sql`authority = ${value("ca")} and at > ${value("since")} and kind = 'order'`)
    .orderBy(acmeAttempts.at)
    .prepare();
  return {
    /**
     * The names that are due: attempts under way first, then in turn. Projects take turns: the first name of each, then the
     * second. Requested names come first. A renewal needs no place.
     */
    async queue({ first, authorities, ...numbers }: QueueOptions): Promise<QueueEntry[]> {
      const lists = { first: JSON.stringify(first), authorities: JSON.stringify(authorities) };
      return statement.all({ ...numbers, ...lists });
    },
    /** When orders were placed at a CA after `since`, ascending. */
    async ordersSince(ca: string, since: number): Promise<number[]> {
      return ordersStatement.all({ ca, since }).map(({ at }) => at);
    },
  };
};

/** Problem types that a request cannot bypass. */
const LIMITED = "('rateLimited', 'budget')";
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

const problemType = sql`json_extract(${certificates.problem}, '$.type')`;

/** The writes that schedule a name's next attempt. */
const scheduleWrites = ({ orm, commit }: Pick<Database, "orm" | "commit">, effects: DomainEffects) => {
  const wantStatement = insertStatement(orm);
  const nextAt = sql`${value("nextAt")}`;
  const putOffStatement = updateStatement(orm, { nextAt }, isAsRead);
  const retryStatement = orm
    .update(certificates)
    .set({ nextAt })
    .where(inArray(problemType, OF_THIS_MACHINE))
    .prepare();
  const requestStatement = updateStatement(
    orm,
    { nextAt: requestedAt(2, sql`${certificates.nextAt}`), isRequested: true },
    and(hasName, sql`coalesce(${problemType}, '') not in ${sql.raw(LIMITED)}`),
  );
  const refusedStatement = orm
    .select({ one: sql`1` })
    .from(certificates)
    .where(and(hasName, sql`json_extract(${certificates.problem}, '$.cause') is not null`))
    .prepare();
  const withdrawStatement = updateStatement(
    orm,
    { ...NO_ORDER, ...NO_CERTIFICATE, nextAt: AT_ONCE, isRequested: true },
    and(hasName, eq(certificates.chain, value("chain"))),
  );
  return {
    /** Adds these names, due immediately. Existing names keep their rows. */
    async want(hostnames: readonly string[], now: number): Promise<void> {
      if (hostnames.length === 0) return;
      await commit(hostnames.map((hostname) => ({ query: wantStatement, values: { hostname, now } })));
    },
    /** Makes the name due at that time instead, unless its row has changed since it was read. */
    async putOff({ hostname, revision }: AsRead, nextAt: number): Promise<void> {
      await commit([{ query: putOffStatement, values: { hostname, revision, nextAt } }]);
    },
    /** Makes names due whose last problem came from the service's settings or network. */
    async retryAfterRestart(now: number): Promise<void> {
      await commit([{ query: retryStatement, values: { nextAt: now } }]);
    },
    /**
     * Requests a certificate now, or within a minute after two refusals. False if the name is unknown or a limit makes it wait:
     * then a domain that a CA has refused is `issue_failed` again.
     */
    async request(hostname: string, now: number): Promise<boolean> {
      const [rows] = await commit(
        [
          { query: requestStatement, values: { hostname, now } },
          { query: refusedStatement, values: { hostname } },
        ],
        ([, refused]) => (refused.length > 0 ? effects.issueRefused(hostname, now) : []),
      );
      return rows.length > 0;
    },
    /** Stops using the certificate with this chain, and requests another. */
    async withdraw(hostname: string, chain: string): Promise<void> {
      await commit([{ query: withdrawStatement, values: { hostname, chain } }]);
    },
  };
};

/** Certificates, the attempts to get them, and the accounts with CAs. */
export const certificateRepository = (
  database: Pick<Database, "orm" | "commit">,
  effects: DomainEffects,
) => ({
  ...certificateReads(database),
  ...scheduleWrites(database, effects),
  ...attemptWrites(database, effects),
  ...caReadsAndWrites(database),
  ...queueReads(database),
});

export type Certificates = ReturnType<typeof certificateRepository>;
