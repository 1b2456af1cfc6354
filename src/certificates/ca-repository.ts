import { and, desc, eq, gt, lte, sql } from "drizzle-orm";
import type { Statement } from "../db/commit.ts";
import type { Database } from "../db/open.ts";
import { acmeAccounts, acmeAttempts } from "../db/schema/certificates.ts";
import { MAX_WINDOW_MS } from "../lib/acme-limits.ts";
import { apexOf } from "../lib/hostname.ts";
import type { AccountKey } from "../protocols/acme/keys.ts";
import type { AttemptKind, Counted } from "./budget.ts";
import { value } from "./queries.ts";

/** The service's account with a CA. */
export interface StoredAccount {
  key: AccountKey;
  /** Undefined before it is registered. */
  url: string | undefined;
}

/** Statements that count an attempt at a CA and delete those that no longer count. */
export const attemptCounter = ({ orm }: Pick<Database, "orm">) => {
  const countStatement = orm
    .insert(acmeAttempts)
    .values({
      authority: value("ca"),
      kind: value("kind"),
      hostname: value("hostname"),
      apex: value("apex"),
      at: value("now"),
    })
    .prepare();
  const pruneStatement = orm
    .delete(acmeAttempts)
    .where(lte(acmeAttempts.at, value("before")))
    .prepare();
  return (ca: string, kind: AttemptKind, hostname: string, now: number): readonly Statement[] => {
    return [
      { query: countStatement, values: { ca, kind, hostname, apex: apexOf(hostname), now } },
      { query: pruneStatement, values: { before: now - MAX_WINDOW_MS } },
    ];
  };
};

/** The service's account with each CA, and the attempts that count there. A CA is identified by its directory's URL. */
export const caReadsAndWrites = ({ orm, commit }: Pick<Database, "orm" | "commit">) => {
  const nthStatement = orm
    .select({ at: acmeAttempts.at })
    .from(acmeAttempts)
    .where(
      and(
        eq(acmeAttempts.authority, value("ca")),
        gt(acmeAttempts.at, value("since")),
        eq(acmeAttempts.kind, value("kind")),
        sql`${acmeAttempts.hostname} = coalesce(${value("hostname")}, ${acmeAttempts.hostname})`,
        sql`${acmeAttempts.apex} = coalesce(${value("apex")}, ${acmeAttempts.apex})`,
      ),
    )
    .orderBy(desc(acmeAttempts.at))
    .limit(1)
    .offset(value("newer"))
    .prepare();
  const isOfCa = eq(acmeAccounts.authority, value("ca"));
  const accountStatement = orm.select().from(acmeAccounts).where(isOfCa).limit(1).prepare();
  const saveStatement = orm
    .insert(acmeAccounts)
    .values({ authority: value("ca"), key: value("key"), url: value("url") })
    .onConflictDoUpdate({
      target: acmeAccounts.authority,
      set: { key: sql`excluded.key`, url: sql`excluded.url` },
    })
    .prepare();
  const addStatement = orm
    .insert(acmeAccounts)
    .values({ authority: value("ca"), key: value("key") })
    .onConflictDoNothing()
    .prepare();
  const deleteStatement = orm.delete(acmeAccounts).where(isOfCa).prepare();

  const account = async (ca: string): Promise<StoredAccount | undefined> => {
    const row = accountStatement.get({ ca });
    return row && { key: JSON.parse(row.key) as AccountKey, url: row.url ?? undefined };
  };

  return {
    account,
    /** Stores the key of a new account, if there is none. @returns the account that is stored then */
    async addAccount(ca: string, key: AccountKey): Promise<StoredAccount> {
      await commit([{ query: addStatement, values: { ca, key: JSON.stringify(key) } }]);
      return (await account(ca)) ?? { key, url: undefined };
    },
    /** When the nth newest of these attempts at a CA was, from 1; undefined if there are fewer. */
    nthAttempt: (ca: string, { hostname = null, apex = null, ...counted }: Counted, nth: number) =>
      nthStatement.get({ ca, hostname, apex, ...counted, newer: nth - 1 })?.at,
    async saveAccount(ca: string, { key, url }: StoredAccount): Promise<void> {
      await commit([{ query: saveStatement, values: { ca, key: JSON.stringify(key), url: url ?? null } }]);
    },
    /** Deletes an account that the CA no longer knows: the next order registers a new one. */
    async forgetAccount(ca: string): Promise<void> {
      await commit([{ query: deleteStatement, values: { ca } }]);
    },
  };
};
