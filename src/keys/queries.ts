import { and, asc, eq, gt, isNull, lt, lte, not, or, sql } from "drizzle-orm";
import { insertSelect } from "../db/insert-select.ts";
import type { Database } from "../db/open.ts";
import { keys, secrets } from "../db/schema/keys.ts";
import { hasFullAccess, isLastKeyToGrant } from "../db/management-access.ts";

type Orm = Database["orm"];

const value = sql.placeholder;

const newestPrefix = sql<string>`(select prefix from secrets newest where newest.key_id = ${keys.id} order by newest.rowid desc limit 1)`;

const COLUMNS = {
  id: keys.id,
  name: keys.name,
  scopes: keys.scopes,
  rateRequests: keys.rateRequests,
  rateSeconds: keys.rateSeconds,
  prefix: newestPrefix,
  createdAt: keys.createdAt,
  expiresAt: keys.expiresAt,
  lastUsedAt: keys.lastUsedAt,
  revokedAt: keys.revokedAt,
};

export interface KeyRow extends Omit<typeof keys.$inferSelect, "name"> {
  name: string;
  prefix: string;
}

export const keyQueries = (orm: Orm) => ({
  /** One row if a key or an administrator can create keys with all scopes. */
  fullAccessQuery: orm
    .select({ one: sql`1` })
    .from(sql`(select 1)`)
    .where(hasFullAccess)
    .limit(1)
    .prepare(),
  findQuery: orm
    .select(COLUMNS)
    .from(keys)
    .where(eq(keys.id, value("id")))
    .limit(1)
    .prepare(),
  listQuery: orm
    .select(COLUMNS)
    .from(keys)
    .where(gt(keys.id, value("after")))
    .orderBy(asc(keys.id))
    .limit(value("limit"))
    .prepare(),
  findBySecretQuery: orm
    .select({ ...COLUMNS, secretExpiresAt: secrets.expiresAt })
    .from(secrets)
    .innerJoin(keys, eq(keys.id, secrets.keyId))
    .where(eq(secrets.hash, value("hash")))
    .limit(1)
    .prepare(),
});

const isActive = and(eq(keys.id, value("id")), isNull(keys.revokedAt));

const NEW_KEY = {
  name: value("name"),
  scopes: value("scopes"),
  rateRequests: value("rateRequests"),
  rateSeconds: value("rateSeconds"),
  createdAt: value("now"),
  expiresAt: value("expiresAt"),
};

export const keyStatements = (orm: Orm) => ({
  insertKeyStatement: orm.insert(keys).values(NEW_KEY).returning({ id: keys.id }).prepare(),
  /** Of several processes that start without full access, one inserts the first key. */
  insertFirstKeyStatement: insertSelect(orm, keys, NEW_KEY, sql`where not ${hasFullAccess}`)
    .returning({ id: keys.id })
    .prepare(),
  insertFirstSecretStatement: orm
    .insert(secrets)
    .values({
      hash: value("hash"),
      keyId: sql`last_insert_rowid()`,
      prefix: value("prefix"),
      createdAt: value("now"),
    })
    .prepare(),
  insertSecretStatement: insertSelect(
    orm,
    secrets,
    { hash: value("hash"), keyId: keys.id, prefix: value("prefix"), createdAt: value("now") },
    sql`from ${keys} where ${isActive}`,
  )
    .returning({ hash: secrets.hash })
    .prepare(),
  expireOlderSecretsStatement: orm
    .update(secrets)
    .set({ expiresAt: sql`${value("oldUntil")}` })
    .where(
      and(
        eq(secrets.keyId, value("id")),
        sql`exists (select 1 from keys where id = ${value("id")} and revoked_at is null)`,
        sql`${secrets.hash} <> ${value("hash")}`,
        or(isNull(secrets.expiresAt), gt(secrets.expiresAt, value("oldUntil"))),
      ),
    )
    .prepare(),
  deleteExpiredSecretsStatement: orm
    .delete(secrets)
    .where(and(eq(secrets.keyId, value("id")), lte(secrets.expiresAt, value("now"))))
    .prepare(),
  revokeStatement: orm
    .update(keys)
    .set({ revokedAt: sql`coalesce(${keys.revokedAt}, ${value("now")})` })
    .where(and(eq(keys.id, value("id")), or(sql`${value("force")}`, not(isLastKeyToGrant("keys")))))
    .returning({ id: keys.id })
    .prepare(),
  touchStatement: orm
    .update(keys)
    .set({ lastUsedAt: sql`${value("at")}` })
    .where(and(eq(keys.id, value("id")), or(isNull(keys.lastUsedAt), lt(keys.lastUsedAt, value("at")))))
    .prepare(),
});
