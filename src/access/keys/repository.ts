import { type SQL, sql } from "drizzle-orm";
import { record } from "../../data/db/audit.ts";
import { cachedReads } from "../../data/db/fresh-reads.ts";
import { hasFullAccess, isLastKeyToGrant } from "../../data/db/management-access.ts";
import type { Database } from "../../data/db/open.ts";
import { keys, secrets } from "../../data/db/schema/keys.ts";
import {
  columnsOf,
  insert,
  type Query,
  statement,
  update,
  value,
  valuesFor,
} from "../../data/db/statement.ts";
import type { Act } from "../../lib/actor.ts";
import type { Rate } from "../../lib/rate-limiter.ts";
import type { Grant } from "../../http/scopes.ts";
import type { SecretRecord } from "./secret.ts";

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

type KeyRow = typeof keys.$inferSelect & { prefix: string };

const toKey = (row: KeyRow) => ({
  id: row.id,
  name: row.name,
  scopes: new Set(row.scopes.split(" ")) as ReadonlySet<Grant>,
  rate:
    row.rateRequests !== null && row.rateSeconds !== null
      ? { requests: row.rateRequests, seconds: row.rateSeconds }
      : undefined,
  /** The first characters of its newest secret. */
  prefix: row.prefix,
  createdAt: row.createdAt,
  expiresAt: row.expiresAt ?? undefined,
  lastUsedAt: row.lastUsedAt ?? undefined,
  revokedAt: row.revokedAt ?? undefined,
});

/** An API key, without its secret. Times are milliseconds UTC. */
export type Key = ReturnType<typeof toKey>;

const earliest = (...times: (number | null)[]): number | undefined => {
  const known = times.filter((time) => time !== null);
  return known.length > 0 ? Math.min(...known) : undefined;
};

const keyValues = ({ name, scopes, rate, expiresAt }: NewKey) => ({
  name,
  scopes: scopes.join(" "),
  rateRequests: rate?.requests ?? null,
  rateSeconds: rate?.seconds ?? null,
  expiresAt: expiresAt ?? null,
});

const COLUMNS = sql`
  ${columnsOf(keys)},
  (SELECT ${secrets.prefix} FROM ${secrets} WHERE ${secrets.keyId} = ${keys.id}
    ORDER BY ${secrets}.rowid DESC LIMIT 1) AS prefix`;

const IS_KEY = sql`${keys.id} = ${value("id")}`;
const IS_ACTIVE = sql`${IS_KEY} AND ${keys.revokedAt} IS NULL`;

/** One row if a key or an administrator can create keys with all scopes. */
const FULL_ACCESS = statement(sql`SELECT 1 WHERE ${hasFullAccess}`);

const FIND = statement(sql`SELECT ${COLUMNS} FROM ${keys} WHERE ${IS_KEY}`).as(toKey);

const LIST = statement(sql`
  SELECT ${COLUMNS}
  FROM ${keys}
  WHERE ${keys.id} > ${value("after")}
  ORDER BY ${keys.id}
  LIMIT ${value("limit")}`).as(toKey);

const FIND_BY_SECRET = statement(sql`
  SELECT ${COLUMNS}, ${secrets.expiresAt} AS secretExpiresAt
  FROM ${secrets}
  JOIN ${keys} ON ${keys.id} = ${secrets.keyId}
  WHERE ${secrets.hash} = ${value("hash")}`).as(
  (row: KeyRow & { secretExpiresAt: number | null }): AuthenticatedKey => ({
    ...toKey(row),
    kind: "key",
    expiresAt: earliest(row.secretExpiresAt, row.expiresAt),
  }),
);

const insertKeyIf = (condition: SQL) =>
  statement<{ id: number }>(sql`
    ${insert(keys, {
      ...valuesFor("name", "scopes", "rateRequests", "rateSeconds", "expiresAt"),
      createdAt: value("now"),
    })}
    WHERE ${condition}
    RETURNING ${keys.id} AS id`);

const INSERT_KEY = insertKeyIf(sql`TRUE`);
/** Of several processes that start without full access, one inserts the first key. */
const INSERT_FIRST_KEY = insertKeyIf(sql`NOT ${hasFullAccess}`);

const secretOf = (keyId: SQL) =>
  insert(secrets, { ...valuesFor("hash", "prefix"), keyId, createdAt: value("now") });

const INSERT_FIRST_SECRET = statement(secretOf(sql`last_insert_rowid()`));

const INSERT_SECRET = statement<{ hash: string }>(sql`
  ${secretOf(sql`${keys.id}`)}
  FROM ${keys}
  WHERE ${IS_ACTIVE}
  RETURNING ${secrets.hash} AS hash`);

const EXPIRE_OLDER_SECRETS = statement(sql`
  ${update(secrets, { expiresAt: value("oldUntil") })}
  WHERE ${secrets.keyId} = ${value("id")}
    AND EXISTS (SELECT 1 FROM ${keys} WHERE ${IS_ACTIVE})
    AND ${secrets.hash} <> ${value("hash")}
    AND (${secrets.expiresAt} IS NULL OR ${secrets.expiresAt} > ${value("oldUntil")})`);

const DELETE_EXPIRED_SECRETS = statement(sql`
  DELETE FROM ${secrets}
  WHERE ${secrets.keyId} = ${value("id")} AND ${secrets.expiresAt} <= ${value("now")}`);

const REVOKE = statement<{ id: number }>(sql`
  ${update(keys, { revokedAt: sql`coalesce(${keys.revokedAt}, ${value("now")})` })}
  WHERE ${IS_KEY} AND (${value("force")} OR NOT ${isLastKeyToGrant})
  RETURNING ${keys.id} AS id`);

const TOUCH = statement(sql`
  ${update(keys, { lastUsedAt: value("at") })}
  WHERE ${IS_KEY} AND (${keys.lastUsedAt} IS NULL OR ${keys.lastUsedAt} < ${value("at")})`);

export const keyRepository = (database: Database) => {
  const { client, commit, fresh } = database;
  const cache = cachedReads(database, MAX_CACHED_KEYS, (hash: string) =>
    FIND_BY_SECRET.get(client, { hash }),
  );

  const hasAccess = (now: number): boolean => FULL_ACCESS.get(client, { now }) !== undefined;

  /** Stores the key and its first secret in one atomic step, if the statement inserts the key. */
  const insertBy = async (
    query: Query<{ id: number }>,
    key: NewKey,
    secret: SecretRecord,
    act: Act,
  ): Promise<Key | undefined> => {
    const { now } = act;
    const values = { ...keyValues(key), ...secret, now };
    const { name: label, scopes } = values;
    const [[row]] = await commit([query.with(values)], ([[added]]) =>
      added
        ? [
            INSERT_FIRST_SECRET.with(values),
            ...record(act, {
              action: "key.created",
              id: added.id,
              label,
              changes: [["scopes", null, scopes]],
            }),
          ]
        : [],
    );
    return row && FIND.get(client, row);
  };

  return {
    find: async (id: number): Promise<Key | undefined> => FIND.get(client, { id }),
    async add(key: NewKey, secret: SecretRecord, act: Act): Promise<Key> {
      const added = await insertBy(INSERT_KEY, key, secret, act);
      if (!added) throw new Error("an insert returned no row");
      return added;
    },
    /** Adds the key unless a key or an administrator can create keys with all scopes. */
    addFirst: (key: NewKey, secret: SecretRecord, act: Act): Promise<Key | undefined> =>
      insertBy(INSERT_FIRST_KEY, key, secret, act),
    /** The keys after the id `after`, ascending by id. */
    list: async (page: { after: number; limit: number }): Promise<Key[]> => LIST.all(client, page),
    /**
     * The key that has a secret with this hash. Its `expiresAt` is when the secret expires, by rotation or with the key. The
     * result is never older than the last acknowledged change.
     */
    findBySecret: cache.find,
    /**
     * Adds a secret and lets the others expire at `oldUntil` at the latest, in one atomic step; undefined if the key is revoked
     * or unknown.
     */
    async rotate(
      id: number,
      secret: SecretRecord,
      { act, oldUntil }: { act: Act; oldUntil: number },
    ): Promise<Key | undefined> {
      const values = { id, ...secret, oldUntil, now: act.now };
      const [, added] = await commit(
        [
          FIND.with(values),
          INSERT_SECRET.with(values),
          EXPIRE_OLDER_SECRETS.with(values),
          DELETE_EXPIRED_SECRETS.with(values),
        ],
        ([[key], [inserted]]) =>
          record(act, key && inserted && { action: "key.rotated", id, label: key.name }),
      );
      cache.clear();
      return added.length > 0 ? FIND.get(client, values) : undefined;
    },
    /**
     * Revokes the key in one atomic step; true if it exists, even if it was revoked before. False, and nothing is written, if no
     * other manager could grant all of its scopes, unless `force`.
     */
    async revoke(id: number, { act, force }: { act: Act; force: boolean }): Promise<boolean> {
      const values = { id, now: act.now, force: Number(force) };
      const [, rows] = await commit([FIND.with(values), REVOKE.with(values)], ([[before], [revoked]]) =>
        record(
          act,
          before && before.revokedAt === undefined && revoked
            ? { action: "key.revoked", id, label: before.name }
            : undefined,
        ),
      );
      cache.clear();
      return rows.length > 0;
    },
    /** Stores when keys were last used, by their ids. */
    async touch(lastUsed: ReadonlyMap<number, number>): Promise<void> {
      if (lastUsed.size > 0) await commit([...lastUsed].map(([id, at]) => TOUCH.with({ id, at })));
    },
    /** True if a key or an administrator can create keys with all scopes. */
    async hasFullAccess(now: number): Promise<boolean> {
      if (hasAccess(now)) return true;
      // A node that starts from a snapshot may not have the first key yet.
      await fresh();
      return hasAccess(now);
    },
  };
};
