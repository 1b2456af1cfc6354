import { type SQL, and, eq, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { acmeAttempts, certificates } from "../db/schema/certificates.ts";
import { AT_ONCE } from "./certificate.ts";

type Orm = Database["orm"];
type Changes = Parameters<ReturnType<Orm["update"]>["set"]>[0];

export const value = sql.placeholder;

export const hasName = eq(certificates.hostname, value("hostname"));
/** The attempt is still under way: no import has ended it, and no other process has begun another. */
export const isUnderWay = and(hasName, eq(certificates.attemptSince, value("attemptSince")));
/** The row has not changed since it was read. */
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

/** The changes of a new certificate. It ends an attempt and meets a request. */
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

/** The longest delay of a requested attempt, in milliseconds. Without it, requests soon use up the CA's limit on refusals. */
const PAUSE_MS = 60_000;

/**
 * The time of a requested attempt, never later than `scheduled`.
 * @param nth of the name's recent refusals, newest first: the delay begins with it
 */
export const requestedAt = (nth: number, scheduled: SQL): SQL => {
  const { at, hostname, kind } = acmeAttempts;
  const recent = sql`${hostname} = ${value("hostname")} and ${kind} = 'refused'
    and ${at} between ${value("now")} - ${PAUSE_MS} + 1 and ${value("now")}`;
  const refusedAt = sql`select ${at} from ${acmeAttempts} where ${recent} order by ${at} desc limit 1 offset ${nth - 1}`;
  return sql`min(coalesce((${refusedAt}) + ${PAUSE_MS}, ${AT_ONCE}), coalesce(${scheduled}, ${value("now")} + ${PAUSE_MS}))`;
};

/** The changes of an attempt that ends without a certificate. If another was requested meanwhile, it comes at `requestedAt`. */
export const WITHOUT_SUCCESS = {
  attemptSince: null,
  problem: sql`${value("problem")}`,
  nextAt: sql`iif(${certificates.isRequested}, ${requestedAt(1, sql`${value("nextAt")}`)}, ${value("nextAt")})`,
};

/** Returns the changed row, if any. */
export const updateStatement = (orm: Orm, changes: Changes, where: SQL | undefined) =>
  orm.update(certificates).set(changes).where(where).returning({ hostname: certificates.hostname }).prepare();

/** Adds a name, due immediately. An existing name keeps its row. */
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
