import { type SQL, and, asc, eq, gt, isNotNull, lte, notExists, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { acmeAccounts, acmeAttempts, certificates } from "../db/schema/certificates.ts";
import { domains } from "../db/schema/domains.ts";
import { projects } from "../db/schema/projects.ts";
import { AT_ONCE } from "./certificate.ts";

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

/** The attempt still is under way: nothing was imported meanwhile. */
const isUnderWay = and(isThis, isNotNull(certificates.attemptSince));
const isAsRead = and(isThis, eq(certificates.revision, value("revision")));
/** The end of an attempt that came to nothing. If somebody asked meanwhile, the next one begins at once. */
const END = {
  attemptSince: null,
  nextAt: sql`iif(${certificates.isRequested}, ${AT_ONCE}, ${value("nextAt")})`,
};

/** All that is asked and written of certificates, prepared. */
export const certificateQueries = (orm: Database["orm"]) => {
  const ownName = sql<string>`${projects.slug} || '.' || ${value("domain")}`;
  const unknownSlugs = orm
    .select({ hostname: ownName.as("hostname") })
    .from(projects)
    .where(
      and(
        isNotNull(projects.activeDeployId),
        notExists(
          orm
            .select({ one: sql`1` })
            .from(certificates)
            .where(eq(certificates.hostname, ownName)),
        ),
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
    .select({
      key: certificates.key,
      chain: certificates.chain,
      notBefore: certificates.notBefore,
      notAfter: certificates.notAfter,
      renewals: certificates.renewals,
    })
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
  type Changes = Parameters<ReturnType<typeof orm.update<typeof certificates>>["set"]>[0];
  const update = (set: Changes, where: SQL | undefined) =>
    orm.update(certificates).set(set).where(where).returning({ hostname: certificates.hostname }).prepare();
  const putOff = update({ nextAt: sql`${value("nextAt")}` }, isAsRead);
  const attempted = update(
    { nextAt: AT_ONCE, isRequested: false, attemptSince: sql`${value("now")}` },
    isAsRead,
  );
  const begun = update(
    { ...NO_ORDER, orderAuthority: sql`${value("authority")}`, orderKey: sql`${value("key")}` },
    isUnderWay,
  );
  const ordered = update({ orderUrl: sql`${value("url")}` }, isUnderWay);
  const challenge = update(
    { token: sql`${value("token")}`, keyAuthorization: sql`${value("keyAuthorization")}` },
    isUnderWay,
  );
  const asked = orm
    .update(certificates)
    .set({ nextAt: AT_ONCE, isRequested: true })
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
  const use = {
    ...NO_ORDER,
    key: sql`${value("key")}`,
    chain: sql`${value("chain")}`,
    authority: sql`${value("authority")}`,
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
  const inUse = update(use, isUnderWay);
  const imported = update(use, isThis);
  const putOffBecause = update({ ...END, problem: sql`${value("problem")}` }, isUnderWay);
  const reconsidered = orm
    .update(certificates)
    .set({ nextAt: sql`${value("nextAt")}` })
    .where(
      sql`json_extract(${certificates.problem}, '$.type') in ('no_authority', 'challenge_unreachable', 'unreachable', 'malformed_answer', 'internal')`,
    )
    .prepare();
  const outOfUse = update(
    {
      ...NO_ORDER,
      key: null,
      chain: null,
      authority: null,
      notBefore: null,
      notAfter: null,
      ariId: null,
      nextAt: AT_ONCE,
      isRequested: true,
    },
    and(isThis, eq(certificates.chain, value("chain"))),
  );
  const failing = {
    failures: sql`${certificates.failures} + 1`,
    problem: sql`${value("problem")}`,
    ...END,
  };
  const failedForNow = update(failing, isUnderWay);
  const refused = update({ ...failing, ...NO_ORDER }, isUnderWay);
  const forgotten = orm
    .delete(certificates)
    .where(
      and(
        isUnderWay,
        notExists(
          orm
            .select({ one: sql`1` })
            .from(domains)
            .where(eq(domains.hostname, value("hostname"))),
        ),
      ),
    )
    .returning({ hostname: certificates.hostname })
    .prepare();
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
    attempted,
    asked,
    counted,
    countedNow,
    oldForgotten,
    inUse,
    imported,
    outOfUse,
    reconsidered,
    putOffBecause,
    failedForNow,
    refused,
    forgotten,
    account,
    accountSaved,
    accountGone,
  };
};
