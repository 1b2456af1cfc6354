import { and, asc, eq, gt, isNotNull, notExists, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { certificates } from "../db/schema/certificates.ts";
import { projects } from "../db/schema/projects.ts";
import type { Certificate, Expiry, Issued, KeyPair, StoredProblem } from "./certificate.ts";
import { hasName, value } from "./queries.ts";

/** A certificate in use, and how many its name had before. */
export interface UsedPair extends KeyPair, Pick<Issued, "notBefore" | "notAfter"> {
  renewals: number;
}

type Row = typeof certificates.$inferSelect;
type Orm = Database["orm"];

const issuedOf = ({ key, chain, authority, notBefore, notAfter, ariId }: Row): Issued | undefined =>
  key === null || chain === null
    ? undefined
    : { key, chain, ca: authority, notBefore: notBefore ?? 0, notAfter: notAfter ?? 0, ariId };

export const toCertificate = (row: Row): Certificate => ({
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

const rowStatements = (orm: Orm) => {
  const rows = () => orm.select().from(certificates);
  return {
    find: rows().where(hasName).limit(1).prepare(),
    list: rows()
      .where(gt(certificates.hostname, value("after")))
      .orderBy(asc(certificates.hostname))
      .limit(value("limit"))
      .prepare(),
  };
};

/** The reads of handshakes, challenges and warnings: synchronous. */
const handshakeReads = (orm: Orm) => {
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
  };
};

export const certificateReads = ({ orm }: Pick<Database, "orm">) => {
  const missing = missingStatement(orm);
  const rows = rowStatements(orm);
  return {
    ...handshakeReads(orm),
    /** Names below `domain` of projects that have a deploy and no row here; at most `limit`. */
    async missingBelow(domain: string, limit: number): Promise<string[]> {
      return missing.all({ domain, limit }).map(({ hostname }) => hostname);
    },
    async find(hostname: string): Promise<Certificate | undefined> {
      const row = rows.find.get({ hostname });
      return row && toCertificate(row);
    },
    /** Ascending by name, behind `after`. */
    async list(page: { after: string; limit: number }): Promise<Certificate[]> {
      return rows.list.all({ ...page }).map(toCertificate);
    },
  };
};
