import type { Statement } from "../db/commit.ts";
import type { Database } from "../db/open.ts";
import type { certificates } from "../db/schema/certificates.ts";
import { hostnameOf } from "../lib/hostname.ts";
import { type Attempt, LONGEST_MS } from "./budget.ts";
import type { AccountKey } from "../protocols/acme/keys.ts";
import type { Problem } from "../protocols/acme/problem.ts";
import type { Certificate, Issued, KeyPair, PendingOrder } from "./certificate.ts";
import { certificateQueries } from "./queries.ts";

/** The service's account with an authority. */
export interface StoredAccount {
  key: AccountKey;
  /** Undefined before it is registered. */
  url: string | undefined;
}

/** A name as it was read. */
export type AsRead = Pick<Certificate, "hostname" | "revision">;

/** A certificate in use, with how many its name has had before. */
export interface UsedPair extends KeyPair, Pick<Issued, "notBefore" | "notAfter"> {
  renewals: number;
}

export interface Certificates {
  /** Own names, below a domain, of projects that have something to show, and are not known here yet; `limit` at the most. */
  missingBelow(domain: string, limit: number): Promise<string[]>;
  /** Makes these names known, each to be dealt with at once. Those that are known stay as they are. */
  want(hostnames: readonly string[], now: number): Promise<void>;
  /** Makes those due whose last problem was this service's own settings or network. */
  reconsider(now: number): Promise<void>;
  find(hostname: string): Promise<Certificate | undefined>;
  /** Ascending by name, from behind `after`. */
  list(page: { after: string; limit: number }): Promise<Certificate[]>;
  /** Those whose time has come, the longest due first. */
  due(now: number, limit: number): Promise<Certificate[]>;
  /** What a connection to this name is secured with; read at once, as a handshake asks. */
  keyPair(hostname: string): UsedPair | undefined;
  /** When the certificates in use end, ascending by that. */
  expiries(): { hostname: string; notAfter: number }[];
  /** What is answered to an authority that asks for this token under this name; undefined if nothing is pending. */
  keyAuthorization(hostname: string, token: string): string | undefined;
  /** Looks at it again at that time, unless it is not as it was read any more. */
  later(read: AsRead, nextAt: number): Promise<void>;
  /**
   * Begins an attempt, unless it is not as it was read any more: false then. What the attempt writes down is not, from
   * `begin` to `failed`, once a certificate was imported meanwhile; who asks for another meanwhile gets it at once.
   */
  attempt(read: AsRead, now: number): Promise<boolean>;
  /** The key of an order, before it is placed. False if the attempt is over. */
  begin(hostname: string, order: PendingOrder): Promise<boolean>;
  /** The order is placed; the domain is `issuing` from then on. False if the attempt is over. */
  placed(hostname: string, order: { authority: string; url: string }, now: number): Promise<boolean>;
  challenged(hostname: string, token: string, keyAuthorization: string): Promise<void>;
  /** The certificate of this chain is in use no longer, and another is ordered at once. */
  withdrawn(hostname: string, chain: string): Promise<void>;
  /**
   * The certificate is in use from the next handshake on, and its domain live, in one atomic step. False if the name is gone,
   * or the attempt over.
   */
  stored(hostname: string, issued: Issued, nextAt: number, now: number): Promise<boolean>;
  /** The same of one that came from elsewhere, whether the name is known or not, and whatever is under way for it. */
  imported(hostname: string, issued: Issued, nextAt: number, now: number): Promise<void>;
  /** Writes down why it is not attempted before that time. */
  postponed(hostname: string, problem: Problem, nextAt: number): Promise<void>;
  /** Writes down why it did not work; a refused order is forgotten, and its domain `issue_failed`. */
  failed(
    hostname: string,
    failure: {
      problem: Problem;
      nextAt: number | null;
      /** By the authority that was asked: it counts there. */
      refusedBy?: string | undefined;
    },
    now: number,
  ): Promise<void>;
  /** Forgets a name with its keys, unless the attempt is over or it is some project's domain, verified or not; true if it is gone. */
  forget(hostname: string): Promise<boolean>;
  /** Has a certificate ordered at once, as somebody asks; false if the name is not known, or a limit makes it wait. */
  order(hostname: string): Promise<boolean>;
  /** What counts at an authority, newer than `since`. */
  attempts(authority: string, since: number): Promise<Attempt[]>;
  account(authority: string): Promise<StoredAccount | undefined>;
  saveAccount(authority: string, account: StoredAccount): Promise<void>;
  /** The authority does not know it any more: the next order makes another. */
  forgetAccount(authority: string): Promise<void>;
}

type Row = typeof certificates.$inferSelect;

const toCertificate = (row: Row): Certificate => ({
  hostname: row.hostname,
  createdAt: row.createdAt,
  nextAt: row.nextAt,
  isRequested: row.isRequested,
  attemptSince: row.attemptSince,
  revision: row.revision,
  failures: row.failures,
  problem: row.problem === null ? undefined : (JSON.parse(row.problem) as Problem),
  issued:
    row.key === null || row.chain === null
      ? undefined
      : {
          key: row.key,
          chain: row.chain,
          authority: row.authority,
          notBefore: row.notBefore ?? 0,
          notAfter: row.notAfter ?? 0,
          ariId: row.ariId,
        },
  order:
    row.orderAuthority === null || row.orderKey === null
      ? undefined
      : { authority: row.orderAuthority, url: row.orderUrl, key: row.orderKey },
});

/** What a certificate does to the domain of its name: statements for the act that writes the certificate. */
export interface DomainEffects {
  orderPlaced(hostname: string, now: number): readonly Statement[];
  /** Only if the certificate of this chain is in use. */
  certificateStored(hostname: string, chain: string, now: number): readonly Statement[];
  issueRefused(hostname: string, now: number): readonly Statement[];
}

export const certificateRepository = (
  { orm, commit }: Pick<Database, "orm" | "commit">,
  effects: DomainEffects,
): Certificates => {
  const queries = certificateQueries(orm);
  /** Counts it, and forgets what counts no more. */
  const counting = (authority: string, kind: Attempt["kind"], hostname: string, now: number) => [
    {
      query: queries.countedNow,
      values: { authority, kind, hostname, apex: hostnameOf(hostname).apex, now },
    },
    { query: queries.oldForgotten, values: { before: now - LONGEST_MS } },
  ];
  return {
    async missingBelow(domain, limit) {
      return queries.unknownSlugs.all({ domain, limit }).map(({ hostname }) => hostname);
    },
    async want(hostnames, now) {
      if (hostnames.length === 0) return;
      await commit(hostnames.map((hostname) => ({ query: queries.wanted, values: { hostname, now } })));
    },
    async reconsider(now) {
      await commit([{ query: queries.reconsidered, values: { nextAt: now } }]);
    },
    async find(hostname) {
      const row = queries.found.get({ hostname });
      return row && toCertificate(row);
    },
    async list(page) {
      return queries.listed.all({ ...page }).map(toCertificate);
    },
    async due(now, limit) {
      return queries.dueNow.all({ now, limit }).map(toCertificate);
    },
    keyPair(hostname) {
      const row = queries.paired.get({ hostname });
      if (!row?.key || !row.chain) return undefined;
      const { key, chain, notBefore, notAfter, renewals } = row;
      return { key, chain, notBefore: notBefore ?? 0, notAfter: notAfter ?? 0, renewals };
    },
    expiries: () =>
      queries.ending.all().map(({ hostname, notAfter }) => ({ hostname, notAfter: notAfter ?? 0 })),
    keyAuthorization: (hostname, token) =>
      queries.answered.get({ hostname, token })?.keyAuthorization ?? undefined,
    async attempt({ hostname, revision }, now) {
      const [rows] = await commit([{ query: queries.attempted, values: { hostname, revision, now } }]);
      return rows.length > 0;
    },
    async begin(hostname, { authority, key }) {
      const [rows] = await commit([{ query: queries.begun, values: { hostname, authority, key } }]);
      return rows.length > 0;
    },
    async placed(hostname, { authority, url }, now) {
      const [rows] = await commit([
        { query: queries.ordered, values: { hostname, url } },
        ...effects.orderPlaced(hostname, now),
        ...counting(authority, "order", hostname, now),
      ]);
      return rows.length > 0;
    },
    async challenged(hostname, token, keyAuthorization) {
      await commit([{ query: queries.challenge, values: { hostname, token, keyAuthorization } }]);
    },
    async withdrawn(hostname, chain) {
      await commit([{ query: queries.outOfUse, values: { hostname, chain } }]);
    },
    async later({ hostname, revision }, nextAt) {
      await commit([{ query: queries.putOff, values: { hostname, revision, nextAt } }]);
    },
    async stored(hostname, issued, nextAt, now) {
      const [rows] = await commit([
        { query: queries.inUse, values: { hostname, nextAt, ...issued } },
        ...effects.certificateStored(hostname, issued.chain, now),
        ...(issued.authority === null ? [] : counting(issued.authority, "issued", hostname, now)),
      ]);
      return rows.length > 0;
    },
    async imported(hostname, issued, nextAt, now) {
      await commit([
        { query: queries.wanted, values: { hostname, now } },
        { query: queries.imported, values: { hostname, nextAt, ...issued } },
        ...effects.certificateStored(hostname, issued.chain, now),
      ]);
    },
    async postponed(hostname, problem, nextAt) {
      await commit([
        { query: queries.putOffBecause, values: { hostname, problem: JSON.stringify(problem), nextAt } },
      ]);
    },
    async failed(hostname, { problem, nextAt, refusedBy }, now) {
      await commit([
        {
          query: refusedBy === undefined ? queries.failedForNow : queries.refused,
          values: { hostname, problem: JSON.stringify(problem), nextAt },
        },
        ...(refusedBy === undefined
          ? []
          : [...effects.issueRefused(hostname, now), ...counting(refusedBy, "refused", hostname, now)]),
      ]);
    },
    async forget(hostname) {
      const [rows] = await commit([{ query: queries.forgotten, values: { hostname } }]);
      return rows.length > 0;
    },
    async attempts(authority, since) {
      return queries.counted.all({ authority, since });
    },
    async order(hostname) {
      const [rows] = await commit([{ query: queries.asked, values: { hostname } }]);
      return rows.length > 0;
    },
    async account(authority) {
      const row = queries.account.get({ authority });
      return row && { key: JSON.parse(row.key) as AccountKey, url: row.url ?? undefined };
    },
    async forgetAccount(authority) {
      await commit([{ query: queries.accountGone, values: { authority } }]);
    },
    async saveAccount(authority, { key, url }) {
      await commit([
        { query: queries.accountSaved, values: { authority, key: JSON.stringify(key), url: url ?? null } },
      ]);
    },
  };
};
