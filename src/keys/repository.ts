import { and, asc, eq, gt, isNull, lt, lte, not, or, sql } from "drizzle-orm";
import { type Audit, type AuditEntry, auditing } from "../db/audit.ts";
import { insertSelect } from "../db/insert-select.ts";
import { hasFullAccess, isLastKeyToGrant } from "../db/management-access.ts";
import type { Database } from "../db/open.ts";
import { keys, secrets } from "../db/schema/keys.ts";
import type { Act } from "../lib/actor.ts";
import { lruCache } from "../lib/lru.ts";
import type { Rate } from "../lib/rate-limiter.ts";
import type { Grant } from "../lib/scopes.ts";
import type { SecretRecord } from "./secret.ts";

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

interface KeyRow extends Omit<typeof keys.$inferSelect, "name"> {
  name: string;
  prefix: string;
}

const keyQueries = (orm: Orm) => ({
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

const keyStatements = (orm: Orm) => ({
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
    .where(and(eq(keys.id, value("id")), or(sql`${value("force")}`, not(isLastKeyToGrant))))
    .returning({ id: keys.id })
    .prepare(),
  touchStatement: orm
    .update(keys)
    .set({ lastUsedAt: sql`${value("at")}` })
    .where(and(eq(keys.id, value("id")), or(isNull(keys.lastUsedAt), lt(keys.lastUsedAt, value("at")))))
    .prepare(),
});

/** An API key, without its secret. Times are milliseconds UTC. */
export interface Key {
  id: number;
  name: string;
  scopes: ReadonlySet<Grant>;
  rate: Rate | undefined;
  /** The first characters of its newest secret. */
  prefix: string;
  createdAt: number;
  expiresAt: number | undefined;
  lastUsedAt: number | undefined;
  revokedAt: number | undefined;
}

export interface NewKey {
  name: string;
  scopes: readonly Grant[];
  rate?: Rate | undefined;
  expiresAt?: number | undefined;
}

/** The key of a request, as `Caller` has it. */
export interface AuthenticatedKey extends Key {
  kind: "key";
}

const MAX_CACHED_KEYS = 10_000;

const toKey = (row: KeyRow): Key => ({
  id: row.id,
  name: row.name,
  scopes: new Set(row.scopes.split(" ") as Grant[]),
  rate:
    row.rateRequests !== null && row.rateSeconds !== null
      ? { requests: row.rateRequests, seconds: row.rateSeconds }
      : undefined,
  prefix: row.prefix,
  createdAt: row.createdAt,
  expiresAt: row.expiresAt ?? undefined,
  lastUsedAt: row.lastUsedAt ?? undefined,
  revokedAt: row.revokedAt ?? undefined,
});

const earliest = (...times: (number | null)[]): number | undefined => {
  const known = times.filter((time) => time !== null);
  return known.length > 0 ? Math.min(...known) : undefined;
};

const columnsOf = ({ name, scopes, rate, expiresAt }: NewKey) => ({
  name,
  scopes: scopes.join(" "),
  rateRequests: rate?.requests ?? null,
  rateSeconds: rate?.seconds ?? null,
  expiresAt: expiresAt ?? null,
});

/** Keys by the hash of a secret, until a key changes, here or in another process. */
const secretCache = (
  { fresh, foreignVersion }: Pick<Database, "fresh" | "foreignVersion">,
  read: (hash: string) => AuthenticatedKey | undefined,
) => {
  const keys = lruCache<string, AuthenticatedKey>({ maxEntries: MAX_CACHED_KEYS });
  let cachedVersion = 0;
  return {
    async find(hash: string): Promise<AuthenticatedKey | undefined> {
      await fresh();
      const version = foreignVersion();
      if (version !== cachedVersion) keys.clear();
      cachedVersion = version;
      const cached = keys.get(hash);
      if (cached) return cached;
      const key = read(hash);
      if (key) keys.set(hash, key);
      return key;
    },
    clear: keys.clear,
  };
};

const createdEntry = (id: number, { name, scopes }: { name: string; scopes: string }): AuditEntry => ({
  action: "key.created",
  id,
  label: name,
  changes: [["scopes", null, scopes]],
});

/** The repository's prepared statements. */
interface Prepared {
  queries: ReturnType<typeof keyQueries>;
  statements: ReturnType<typeof keyStatements>;
  record: Audit;
}

/** Changes of keys that exist. @param onChange called after each */
const keyChanges = (
  { commit }: Pick<Database, "commit">,
  { queries: { findQuery }, statements, record }: Prepared,
  onChange: () => void,
) => {
  return {
    /**
     * Adds a secret and lets the others expire at `oldUntil` at the latest, in one atomic step; undefined if the key is revoked
     * or unknown.
     */
    async rotate(
      id: number,
      { hash, prefix }: SecretRecord,
      { act, oldUntil }: { act: Act; oldUntil: number },
    ): Promise<Key | undefined> {
      const { now } = act;
      const [, added] = await commit(
        [
          { query: findQuery, values: { id } },
          { query: statements.insertSecretStatement, values: { id, hash, prefix, now } },
          { query: statements.expireOlderSecretsStatement, values: { id, hash, oldUntil } },
          { query: statements.deleteExpiredSecretsStatement, values: { id, now } },
        ],
        ([[key], secrets]) =>
          record(act, key && secrets[0] && { action: "key.rotated", id, label: key.name }),
      );
      onChange();
      const row = findQuery.get({ id });
      return added.length > 0 && row ? toKey(row) : undefined;
    },
    /**
     * Revokes the key in one atomic step; true if it exists, even if it was revoked before. False, and nothing is written, if no
     * other manager could grant all of its scopes, unless `force`.
     */
    async revoke(id: number, { act, force }: { act: Act; force: boolean }): Promise<boolean> {
      const values = { id, now: act.now, force: force ? 1 : 0 };
      const [, rows] = await commit(
        [
          { query: findQuery, values: { id } },
          { query: statements.revokeStatement, values },
        ],
        ([[before], [revoked]]) =>
          record(
            act,
            before?.revokedAt === null && revoked
              ? { action: "key.revoked", id, label: before.name }
              : undefined,
          ),
      );
      onChange();
      return rows.length > 0;
    },
  };
};

export const keyRepository = (database: Database) => {
  const { orm, client, commit, fresh, foreignVersion } = database;
  const queries = keyQueries(orm);
  const { findQuery, listQuery, findBySecretQuery } = queries;
  const statements = keyStatements(orm);
  const record = auditing({ client });
  const cache = secretCache({ fresh, foreignVersion }, (hash) => {
    const row = findBySecretQuery.get({ hash });
    return row && { ...toKey(row), kind: "key", expiresAt: earliest(row.secretExpiresAt, row.expiresAt) };
  });

  const hasFullAccess = (now: number): boolean => queries.fullAccessQuery.get({ now }) !== undefined;

  const find = async (id: number): Promise<Key | undefined> => {
    const row = findQuery.get({ id });
    return row && toKey(row);
  };

  /** Stores the key and its first secret in one atomic step, if the statement inserts the key. */
  const insert = async (
    query: typeof statements.insertKeyStatement,
    key: NewKey,
    { hash, prefix }: SecretRecord,
    act: Act,
  ): Promise<Key | undefined> => {
    const { now } = act;
    const values = { ...columnsOf(key), now };
    const [[row]] = await commit([{ query, values }], ([[added]]) =>
      added
        ? [
            { query: statements.insertFirstSecretStatement, values: { hash, prefix, now } },
            ...record(act, createdEntry(added.id, values)),
          ]
        : [],
    );
    return row && toKey({ ...values, ...row, prefix, createdAt: now, lastUsedAt: null, revokedAt: null });
  };

  return {
    find,
    async add(key: NewKey, secret: SecretRecord, act: Act): Promise<Key> {
      const added = await insert(statements.insertKeyStatement, key, secret, act);
      if (!added) throw new Error("an insert returned no row");
      return added;
    },
    /** Adds the key unless a key or an administrator can create keys with all scopes. */
    addFirst: (key: NewKey, secret: SecretRecord, act: Act): Promise<Key | undefined> =>
      insert(statements.insertFirstKeyStatement, key, secret, act),
    /** The keys after the id `after`, ascending by id. */
    async list(page: { after: number; limit: number }): Promise<Key[]> {
      return listQuery.all({ ...page }).map(toKey);
    },
    /**
     * The key that has a secret with this hash. Its `expiresAt` is when the secret expires, by rotation or with the key. The
     * result is never older than the last acknowledged change.
     */
    findBySecret: cache.find,
    ...keyChanges(database, { queries, statements, record }, cache.clear),
    /** Stores when keys were last used, by their ids. */
    async touch(lastUsed: ReadonlyMap<number, number>): Promise<void> {
      if (lastUsed.size === 0) return;
      const { touchStatement } = statements;
      await commit([...lastUsed].map(([id, at]) => ({ query: touchStatement, values: { id, at } })));
    },
    /** True if a key or an administrator can create keys with all scopes. */
    async hasFullAccess(now: number): Promise<boolean> {
      if (hasFullAccess(now)) return true;
      // A node that starts from a snapshot may not have the first key yet.
      await fresh();
      return hasFullAccess(now);
    },
  };
};

export type KeyRepository = ReturnType<typeof keyRepository>;
