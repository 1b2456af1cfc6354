import { type SQL, and, asc, eq, gt, gte, inArray, isNotNull, isNull, or, sql } from "drizzle-orm";
import { BUDGET, OVERDUE_MS } from "../certificates/certificate.ts";
import { auditing } from "../db/audit.ts";
import type { Database } from "../db/open.ts";
import { certificates } from "../db/schema/certificates.ts";
import { domains } from "../db/schema/domains.ts";
import { notices } from "../db/schema/notices.ts";
import { projects } from "../db/schema/projects.ts";
import { stagesThat } from "../domains/stage.ts";
import { SERVICE } from "../lib/actor.ts";
import type { Notice, NoticeKind } from "./notice.ts";

type Orm = Database["orm"];

/** How many failures in a row make a notice. */
const FAILED_ORDERS = 3;

const value = sql.placeholder;

/** The slug of the project that the name of a row is, or was last, a domain of; null for the service's own names. */
const projectOf = (table: "certificates" | "notices") =>
  sql<string | null>`(select p.slug from domains d join projects p on p.id = d.project_id
    where d.hostname = ${sql.raw(table)}.hostname order by d.verified_at desc limit 1)`;

const ofCertificates = (orm: Orm, condition: SQL | undefined) =>
  orm
    .select({ hostname: certificates.hostname, project: projectOf("certificates") })
    .from(certificates)
    .where(condition)
    .prepare();

/** True for the service's own names, and for domains that should have a certificate by now. */
const isNeeded = sql`coalesce((select max(d.stage in ${stagesThat("wantsCertificate")}) from domains d
  where d.hostname = certificates.hostname), true)`;

/** The rule of `isOverdue` for a name without a certificate. */
const isOverdue = sql`iif(problem is null, coalesce(attempt_since, created_at), created_at) <= ${value("overdue")}
  and iif(problem is null, certificates.hostname not in (select value from json_each(${value("queued")})),
    json_extract(problem, '$.type') <> ${BUDGET} or json_extract(problem, '$.cause') is not null)`;

type Name = Omit<Notice, "kind">;

/** The host names that are in the state of each kind of notice. */
const stateReads = (orm: Orm): Record<NoticeKind, { all(values: Record<string, unknown>): Name[] }> => ({
  domain_failing: orm
    .select({ hostname: domains.hostname, project: sql<string>`min(${projects.slug})` })
    .from(domains)
    .innerJoin(projects, eq(projects.id, domains.projectId))
    // A domain that has lapsed, or that another project took, waits again since then.
    .where(
      or(
        isNotNull(domains.failingSince),
        and(gt(domains.waitingSince, domains.verifiedAt), inArray(domains.stage, stagesThat("isWaiting"))),
      ),
    )
    .groupBy(domains.hostname)
    .prepare(),
  renewal_failed: ofCertificates(orm, and(isNotNull(certificates.chain), gte(certificates.failures, 1))),
  orders_failed: ofCertificates(
    orm,
    and(isNull(certificates.chain), gte(certificates.failures, FAILED_ORDERS)),
  ),
  certificate_overdue: ofCertificates(orm, and(isNull(certificates.chain), isNeeded, isOverdue)),
});

const keyOf = ({ kind, hostname }: Notice): string => `${kind} ${hostname}`;

/** The notices that only `some` has. */
const without = (some: readonly Notice[], others: readonly Notice[]): Notice[] => {
  const known = new Set(others.map(keyOf));
  return some.filter((notice) => !known.has(keyOf(notice)));
};

/** Reads of the notices; the database may be open for reading only. */
export const noticeReads = ({ orm }: Pick<Database, "orm">) => {
  const openStatement = orm
    .select({ kind: notices.kind, hostname: notices.hostname, project: projectOf("notices") })
    .from(notices)
    .orderBy(asc(notices.since), asc(notices.hostname))
    .prepare();
  return {
    /** The oldest first. */
    open: (): Notice[] => openStatement.all(),
  };
};

/** The problems of host names that the service has noticed. */
export const noticeRepository = (database: Pick<Database, "orm" | "client" | "commit">) => {
  const { orm, commit } = database;
  const { open } = noticeReads(database);
  const states = stateReads(orm);
  const record = auditing(database);
  const isOf = and(eq(notices.kind, value("kind")), eq(notices.hostname, value("hostname")));
  const beginStatement = orm
    .insert(notices)
    .values({
      kind: sql`${value("kind")}`,
      hostname: sql`${value("hostname")}`,
      since: sql`${value("now")}`,
    })
    .onConflictDoNothing()
    .returning({ since: notices.since })
    .prepare();
  const endStatement = orm.delete(notices).where(isOf).returning({ since: notices.since }).prepare();

  const write = async (
    query: typeof beginStatement | typeof endStatement,
    notice: Notice,
    now: number,
    [from, to]: readonly [string | null, string | null],
  ) => {
    const { kind, hostname: id, project } = notice;
    const changes = [["notice", from, to]] as const;
    await commit([{ query, values: { kind, hostname: id, now } }], ([rows]) =>
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
      const present = (Object.keys(states) as NoticeKind[]).flatMap((kind) =>
        states[kind].all(values).map(({ hostname, project }) => ({ kind, hostname, project })),
      );
      for (const notice of without(present, known))
        await write(beginStatement, notice, now, [null, notice.kind]);
      for (const notice of without(known, present))
        await write(endStatement, notice, now, [notice.kind, null]);
    },
  };
};

export type Notices = ReturnType<typeof noticeRepository>;
