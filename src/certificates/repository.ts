import { and, eq, inArray, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { certificates } from "../db/schema/certificates.ts";
import { type AsRead, type DomainEffects, attemptWrites } from "./attempt-repository.ts";
import { caReadsAndWrites } from "./ca-repository.ts";
import { AT_ONCE } from "./certificate.ts";
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
import { queueReads } from "./queue-repository.ts";
import { certificateReads } from "./read-repository.ts";

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

/** The writes that say when a name gets its next attempt. */
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
    /** Adds these names, due at once. Known names keep their rows. */
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
