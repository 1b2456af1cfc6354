import { type SQL, sql } from "drizzle-orm";
import { acmeAttempts, certificates } from "../../data/db/schema/certificates.ts";
import {
  type Changes,
  columnsOf,
  insert,
  statement,
  update,
  value,
  valuesFor,
} from "../../data/db/statement.ts";
import { AT_ONCE } from "./certificate.ts";

export type Row = typeof certificates.$inferSelect;

export const HAS_NAME = sql`${certificates.hostname} = ${value("hostname")}`;
/** The attempt is still under way: no import has ended it, and no other process has begun another. */
export const IS_UNDER_WAY = sql`${HAS_NAME} AND ${certificates.attemptSince} = ${value("attemptSince")}`;
/** The row has not changed since it was read. */
export const IS_AS_READ = sql`${HAS_NAME} AND ${certificates.revision} = ${value("revision")}`;

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
export const requestedAt = (nth: number, scheduled: SQL): SQL => sql`min(
    coalesce((
      SELECT ${acmeAttempts.at}
      FROM ${acmeAttempts}
      WHERE ${acmeAttempts.hostname} = ${value("hostname")}
        AND ${acmeAttempts.kind} = 'refused'
        AND ${acmeAttempts.at} BETWEEN ${value("now")} - ${PAUSE_MS} + 1 AND ${value("now")}
      ORDER BY ${acmeAttempts.at} DESC
      LIMIT 1 OFFSET ${nth - 1}) + ${PAUSE_MS}, ${AT_ONCE}),
    coalesce(${scheduled}, ${value("now")} + ${PAUSE_MS}))`;

/** The changes of an attempt that ends without a certificate. If another was requested meanwhile, it comes at `requestedAt`. */
export const WITHOUT_SUCCESS = {
  attemptSince: null,
  problem: value("problem"),
  nextAt: sql`iif(${certificates.isRequested}, ${requestedAt(1, sql`${value("nextAt")}`)}, ${value("nextAt")})`,
};

/** Returns the changed row, if any. */
export const changeWhere = (changes: Changes<typeof certificates>, condition: SQL) =>
  statement<Pick<Row, "hostname">>(sql`
    ${update(certificates, changes)}
    WHERE ${condition}
    RETURNING ${columnsOf(certificates, "hostname")}`);

/** Adds a name, due immediately. An existing name keeps its row. */
export const INSERT = statement(sql`
  ${insert(certificates, {
    hostname: value("hostname"),
    nextAt: value("now"),
    failures: 0,
    renewals: 0,
    createdAt: value("now"),
  })}
  ON CONFLICT DO NOTHING`);
