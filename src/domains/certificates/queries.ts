import { and, asc, eq, gt, inArray, isNotNull, lte, notExists, sql } from "drizzle-orm";
import type { Database } from "../../db/open.ts";
import { acmeAccounts, acmeAttempts, certificates, domains, projects } from "../../db/schema.ts";
import type { StoredStage } from "../domain.ts";
import { noted } from "../queries.ts";

/** Stages whose domains are to have a certificate. */
const SECURED: readonly StoredStage[] = ["verified", "issuing", "issue_failed", "live"];

const value = sql.placeholder;
const isThis = eq(certificates.hostname, value("hostname"));

/** Types of problems that somebody's asking again does not get around. */
const LIMITED = "('rateLimited', 'budget')";

const NO_ORDER = {
  orderAuthority: null,
  orderUrl: null,
  orderKey: null,
  token: null,
  keyAuthorization: null,
};

/** Moves the domain of the name that is in one of these stages, and writes it into its history. */
const transition = (orm: Database["orm"], from: readonly StoredStage[], to: StoredStage) => {
  const where = and(eq(domains.hostname, value("hostname")), inArray(domains.stage, [...from]));
  return {
    noted: noted(orm, where, sql`${value("event")}`, sql`${to}`),
    moved: orm
      .update(domains)
      .set(
        to === "live"
          ? { stage: to, liveAt: sql`${value("now")}`, nextCheckAt: sql`${value("nextCheckAt")}` }
          : { stage: to },
      )
      .where(where)
      .prepare(),
  };
};

/** All that is asked and written of certificates, prepared. */
export const certificateQueries = (orm: Database["orm"]) => {
  const unknown = orm
    .select({ hostname: domains.hostname })
    .from(domains)
    .where(
      and(
        inArray(domains.stage, [...SECURED]),
        notExists(
          orm
            .select({ one: sql`1` })
            .from(certificates)
            .where(eq(certificates.hostname, domains.hostname)),
        ),
      ),
    )
    .limit(value("limit"))
    .prepare();
  const ownName = sql<string>`${projects.slug} || '.' || ${value("domain")}`;
  const unknownSlugs = orm
    .select({ hostname: ownName.as("hostname") })
    .from(projects)
    .where(
      notExists(
        orm
          .select({ one: sql`1` })
          .from(certificates)
          .where(eq(certificates.hostname, ownName)),
      ),
    )
    .limit(value("limit"))
    .prepare();
  const wanted = orm
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
  const found = orm.select().from(certificates).where(isThis).limit(1).prepare();
  const listed = orm
    .select()
    .from(certificates)
    .where(gt(certificates.hostname, value("after")))
    .orderBy(asc(certificates.hostname))
    .limit(value("limit"))
    .prepare();
  const dueNow = orm
    .select()
    .from(certificates)
    .where(lte(certificates.nextAt, value("now")))
    .orderBy(asc(certificates.nextAt))
    .limit(value("limit"))
    .prepare();
  const paired = orm
    .select({ key: certificates.key, chain: certificates.chain, renewals: certificates.renewals })
    .from(certificates)
    .where(isThis)
    .limit(1)
    .prepare();
  const ending = orm
    .select({ hostname: certificates.hostname, notAfter: certificates.notAfter })
    .from(certificates)
    .where(isNotNull(certificates.notAfter))
    .orderBy(asc(certificates.notAfter))
    .prepare();
  const answered = orm
    .select({ keyAuthorization: certificates.keyAuthorization })
    .from(certificates)
    .where(and(isThis, eq(certificates.token, value("token")), isNotNull(certificates.keyAuthorization)))
    .limit(1)
    .prepare();
  const update = (set: Parameters<ReturnType<typeof orm.update<typeof certificates>>["set"]>[0]) =>
    orm.update(certificates).set(set).where(isThis).returning({ hostname: certificates.hostname }).prepare();
  const begun = update({
    ...NO_ORDER,
    orderAuthority: sql`${value("authority")}`,
    orderKey: sql`${value("key")}`,
    nextAt: sql`${value("nextAt")}`,
  });
  const ordered = update({ orderUrl: sql`${value("url")}` });
  const challenge = update({
    token: sql`${value("token")}`,
    keyAuthorization: sql`${value("keyAuthorization")}`,
  });
  const putOff = update({ nextAt: sql`${value("nextAt")}` });
  const asked = orm
    .update(certificates)
    .set({ nextAt: sql`${value("nextAt")}` })
    .where(
      and(
        isThis,
        sql`coalesce(json_extract(${certificates.problem}, '$.type'), '') not in ${sql.raw(LIMITED)}`,
      ),
    )
    .returning({ hostname: certificates.hostname })
    .prepare();
  const counted = orm
    .select({
      kind: acmeAttempts.kind,
      hostname: acmeAttempts.hostname,
      apex: acmeAttempts.apex,
      at: acmeAttempts.at,
    })
    .from(acmeAttempts)
    .where(and(eq(acmeAttempts.authority, value("authority")), gt(acmeAttempts.at, value("since"))))
    .prepare();
  const countedNow = orm
    .insert(acmeAttempts)
    .values({
      authority: value("authority"),
      kind: value("kind"),
      hostname: value("hostname"),
      apex: value("apex"),
      at: value("now"),
    })
    .prepare();
  const oldForgotten = orm
    .delete(acmeAttempts)
    .where(lte(acmeAttempts.at, value("before")))
    .prepare();
  const inUse = update({
    ...NO_ORDER,
    key: sql`${value("key")}`,
    chain: sql`${value("chain")}`,
    authority: sql`${value("authority")}`,
    notBefore: sql`${value("notBefore")}`,
    notAfter: sql`${value("notAfter")}`,
    ariId: sql`${value("ariId")}`,
    renewals: sql`${certificates.renewals} + (${certificates.chain} is not null)`,
    nextAt: sql`${value("nextAt")}`,
    failures: 0,
    problem: null,
  });
  const putOffBecause = update({ problem: sql`${value("problem")}`, nextAt: sql`${value("nextAt")}` });
  const reconsidered = orm
    .update(certificates)
    .set({ nextAt: sql`${value("nextAt")}` })
    .where(
      sql`json_extract(${certificates.problem}, '$.type') in ('no_authority', 'unreachable', 'malformed_answer', 'internal')`,
    )
    .prepare();
  const outOfUse = update({
    ...NO_ORDER,
    key: null,
    chain: null,
    authority: null,
    notBefore: null,
    notAfter: null,
    ariId: null,
    nextAt: sql`${value("nextAt")}`,
  });
  const failing = {
    failures: sql`${certificates.failures} + 1`,
    problem: sql`${value("problem")}`,
    nextAt: sql`${value("nextAt")}`,
  };
  const failedForNow = update(failing);
  const refused = update({ ...failing, ...NO_ORDER });
  const issuing = transition(orm, ["verified", "issue_failed"], "issuing");
  const live = transition(orm, ["verified", "issuing", "issue_failed"], "live");
  const broken = transition(orm, ["verified", "issuing"], "issue_failed");
  const account = orm
    .select()
    .from(acmeAccounts)
    .where(eq(acmeAccounts.authority, value("authority")))
    .limit(1)
    .prepare();
  const accountSaved = orm
    .insert(acmeAccounts)
    .values({ authority: value("authority"), key: value("key"), url: value("url") })
    .onConflictDoUpdate({
      target: acmeAccounts.authority,
      set: { key: sql`excluded.key`, url: sql`excluded.url` },
    })
    .prepare();
  const accountGone = orm
    .delete(acmeAccounts)
    .where(eq(acmeAccounts.authority, value("authority")))
    .prepare();

  return {
    unknown,
    unknownSlugs,
    wanted,
    found,
    listed,
    dueNow,
    paired,
    ending,
    answered,
    begun,
    ordered,
    challenge,
    putOff,
    asked,
    counted,
    countedNow,
    oldForgotten,
    inUse,
    outOfUse,
    reconsidered,
    putOffBecause,
    failedForNow,
    refused,
    issuing,
    live,
    broken,
    account,
    accountSaved,
    accountGone,
  };
};
