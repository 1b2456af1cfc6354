import { type SQL, and, eq, isNotNull, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { certificates } from "../db/schema/certificates.ts";
import { AT_ONCE } from "./certificate.ts";

type Orm = Database["orm"];
type Changes = Parameters<ReturnType<Orm["update"]>["set"]>[0];

export const value = sql.placeholder;

export const hasName = eq(certificates.hostname, value("hostname"));
/** The attempt is still under way: nothing was imported meanwhile. */
export const isUnderWay = and(hasName, isNotNull(certificates.attemptSince));
/** Nobody has written the row since it was read. */
export const isAsRead = and(hasName, eq(certificates.revision, value("revision")));

export const NO_ORDER = {
  orderAuthority: null,
  orderUrl: null,
  orderKey: null,
  token: null,
  keyAuthorization: null,
};

export const NO_CERTIFICATE = {
  key: null,
  chain: null,
  authority: null,
  notBefore: null,
  notAfter: null,
  ariId: null,
};

/** What a new certificate changes. It ends an attempt, and answers a request. */
export const NEW_CERTIFICATE = {
  ...NO_ORDER,
  key: sql`${value("key")}`,
  chain: sql`${value("chain")}`,
  authority: sql`${value("ca")}`,
  notBefore: sql`${value("notBefore")}`,
  notAfter: sql`${value("notAfter")}`,
  ariId: sql`${value("ariId")}`,
  // Storing the same certificate again is not a renewal.
  renewals: sql`${certificates.renewals} + (${certificates.chain} is not null and ${certificates.chain} is not ${value("chain")})`,
  nextAt: sql`${value("nextAt")}`,
  isRequested: false,
  attemptSince: null,
  failures: 0,
  problem: null,
};

/** What the end of an attempt without a certificate changes. If somebody asked meanwhile, the next attempt begins at once. */
export const WITHOUT_SUCCESS = {
  attemptSince: null,
  problem: sql`${value("problem")}`,
  nextAt: sql`iif(${certificates.isRequested}, ${AT_ONCE}, ${value("nextAt")})`,
};

/** Returns a row if one was changed. */
export const updateStatement = (orm: Orm, changes: Changes, where: SQL | undefined) =>
  orm.update(certificates).set(changes).where(where).returning({ hostname: certificates.hostname }).prepare();

/** A name that is not known yet, due at once. A known one stays as it is. */
export const insertStatement = (orm: Orm) =>
  orm
    .insert(certificates)
    .values({
      hostname: value("hostname"),
      nextAt: value("now"),
      failures: 0,
      renewals: 0,
      createdAt: value("now"),
    })
    .onConflictDoNothing()
    .prepare();
