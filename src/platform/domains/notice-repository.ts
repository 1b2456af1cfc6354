import { type Column, type SQL, sql } from "drizzle-orm";
import { BUDGET, OVERDUE_MS } from "../certificates/certificate.ts";
import { record } from "../../data/db/audit.ts";
import type { Database } from "../../data/db/open.ts";
import { certificates } from "../../data/db/schema/certificates.ts";
import { domains } from "../../data/db/schema/domains.ts";
import { notices } from "../../data/db/schema/notices.ts";
import { projects } from "../../data/db/schema/projects.ts";
import { type Query, columnsOf, insert, statement, value, valuesFor } from "../../data/db/statement.ts";
import { stagesThat } from "./stage.ts";
import { SERVICE } from "../../lib/actor.ts";
import type { Notice, NoticeKind } from "./notice.ts";

/** How many failures in a row make a notice. */
const FAILED_ORDERS = 3;

/** The slug of the project that the name of a row is, or was last, a domain of; null for the service's own names. */
const projectOf = (hostname: Column) => sql`(
    SELECT ${projects.slug}
    FROM ${domains}
    JOIN ${projects} ON ${projects.id} = ${domains.projectId}
    WHERE ${domains.hostname} = ${hostname}
    ORDER BY ${domains.verifiedAt} DESC
    LIMIT 1) AS project`;

type Name = Omit<Notice, "kind">;

const ofCertificates = (condition: SQL) =>
  statement<Name>(sql`
    SELECT ${columnsOf(certificates, "hostname")}, ${projectOf(certificates.hostname)}
    FROM ${certificates}
    WHERE ${condition}`);

const HAS_NONE = sql`${certificates.chain} IS NULL`;

/** True for the service's own names, and for domains that should have a certificate by now. */
const IS_NEEDED = sql`coalesce((
      SELECT max(${domains.stage} IN ${stagesThat("wantsCertificate")})
      FROM ${domains}
      WHERE ${domains.hostname} = ${certificates.hostname}), true)`;

/** The rule of `isOverdue` for a name without a certificate. */
const IS_OVERDUE = sql`iif(
      ${certificates.problem} IS NULL,
      coalesce(${certificates.attemptSince}, ${certificates.createdAt}),
      ${certificates.createdAt}) <= ${value("overdue")}
    AND iif(
      ${certificates.problem} IS NULL,
      ${certificates.hostname} NOT IN (SELECT value FROM json_each(${value("queued")})),
      json_extract(${certificates.problem}, '$.type') <> ${BUDGET}
        OR json_extract(${certificates.problem}, '$.cause') IS NOT NULL)`;

/** The host names that are in the state of each kind of notice. */
const STATES: Record<NoticeKind, Query<Name>> = {
  // A domain that has lapsed, or that another project took, waits again since then.
  domain_failing: statement<Name>(sql`
    SELECT ${columnsOf(domains, "hostname")}, min(${projects.slug}) AS project
    FROM ${domains}
    JOIN ${projects} ON ${projects.id} = ${domains.projectId}
    WHERE ${domains.failingSince} IS NOT NULL
      OR (${domains.waitingSince} > ${domains.verifiedAt} AND ${domains.stage} IN ${stagesThat("isWaiting")})
    GROUP BY ${domains.hostname}`),
  renewal_failed: ofCertificates(sql`${certificates.chain} IS NOT NULL AND ${certificates.failures} >= 1`),
  orders_failed: ofCertificates(sql`${HAS_NONE} AND ${certificates.failures} >= ${FAILED_ORDERS}`),
  certificate_overdue: ofCertificates(sql`${HAS_NONE} AND ${IS_NEEDED} AND ${IS_OVERDUE}`),
};
const KINDS = Object.keys(STATES) as NoticeKind[];

const OPEN = statement<Notice>(sql`
  SELECT ${columnsOf(notices, "kind", "hostname")}, ${projectOf(notices.hostname)}
  FROM ${notices}
  ORDER BY ${notices.since}, ${notices.hostname}`);

const BEGIN = statement(sql`
  ${insert(notices, { ...valuesFor("kind", "hostname"), since: value("now") })}
  ON CONFLICT DO NOTHING
  RETURNING 1`);

const END = statement(sql`
  DELETE FROM ${notices}
  WHERE ${notices.kind} = ${value("kind")} AND ${notices.hostname} = ${value("hostname")}
  RETURNING 1`);

const keyOf = ({ kind, hostname }: Notice): string => `${kind} ${hostname}`;

/** The notices that only `some` has. */
const without = (some: readonly Notice[], others: readonly Notice[]): Notice[] => {
  const known = new Set(others.map(keyOf));
  return some.filter((notice) => !known.has(keyOf(notice)));
};

/** Reads of the notices; the database may be open for reading only. */
export const noticeReads = ({ client }: Pick<Database, "client">) => ({
  /** The oldest first. */
  open: () => OPEN.all(client),
});

/** The problems of host names that the service has noticed. */
export const noticeRepository = ({ client, commit }: Pick<Database, "client" | "commit">) => {
  const { open } = noticeReads({ client });

  const write = async (
    query: Query<unknown>,
    notice: Notice,
    now: number,
    [from, to]: readonly [string | null, string | null],
  ) => {
    const { kind, hostname: id, project } = notice;
    const changes = [["notice", from, to]] as const;
    await commit([query.with({ kind, hostname: id, now })], ([rows]) =>
      rows.length === 0
        ? []
        : record(
            { actor: SERVICE, now },
            { action: "domain.noticed", id, changes, ...(project !== null && { parent: project }) },
          ),
    );
  };

  return {
    open,
    /** Opens and ends notices to match the state of domains and certificates, and records each in the audit log. */
    async update(now: number, queued: Iterable<string>): Promise<void> {
      const values = { overdue: now - OVERDUE_MS, queued: JSON.stringify([...queued]) };
      const known = open();
      const present = KINDS.flatMap((kind) =>
        STATES[kind].all(client, values).map(({ hostname, project }) => ({ kind, hostname, project })),
      );
      for (const notice of without(present, known)) await write(BEGIN, notice, now, [null, notice.kind]);
      for (const notice of without(known, present)) await write(END, notice, now, [notice.kind, null]);
    },
  };
};

export type Notices = ReturnType<typeof noticeRepository>;
