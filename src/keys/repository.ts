import { and, asc, eq, gt, isNull, lt, lte, not, or, sql } from "drizzle-orm";
import { insertSelect } from "../db/insert-select.ts";
import type { Database } from "../db/open.ts";
import { keys, secrets } from "../db/schema/keys.ts";
import type { Rate } from "../lib/rate-limiter.ts";
import type { Grant } from "../lib/scopes.ts";
import type { SecretRecord } from "./secret.ts";

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

export interface Keys {
  /** Stores the key and its first secret in one atomic step. */
  add(key: NewKey, secret: SecretRecord, now: number): Promise<Key>;
  find(id: number): Promise<Key | undefined>;
  /** Ascending by id, from behind `after`. */
  list(page: { after: number; limit: number }): Promise<Key[]>;
  /**
   * The key that has a secret of this hash, with `expiresAt` as the end of this secret, by rotation or by the key's expiry;
   * never older than the last acknowledged change.
   */
  open(hash: string): Promise<Key | undefined>;
  /** Adds a secret and ends the others at `oldUntil` at the latest, in one atomic step; undefined if the key is revoked or unknown. */
  rotate(
    id: number,
    secret: SecretRecord,
    times: { now: number; oldUntil: number },
  ): Promise<Key | undefined>;
  /**
   * Ends the key, in one atomic step; true if it exists, also if it was revoked before. False, and nothing is written, if it
   * is the last usable key that can manage keys, unless `force`.
   */
  revoke(id: number, options: { now: number; force: boolean }): Promise<boolean>;
  /** Records when keys were last used. */
  touch(lastUsed: ReadonlyMap<number, number>): Promise<void>;
  isEmpty(): Promise<boolean>;
}

const CACHED_KEYS = 10_000;

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

interface Row extends Omit<typeof keys.$inferSelect, "name"> {
  name: string;
  prefix: string;
}

const toKey = (row: Row): Key => ({
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

/** A key that can manage keys, neither revoked nor expired. @param row the name or alias of a row of `keys` */
const isAdmin = (row: string) =>
  sql.join([
    sql.raw(`${row}.revoked_at is null and (' ' || ${row}.scopes || ' ' glob '* [*] *'
      or ' ' || ${row}.scopes || ' ' glob '* keys:admin *') and coalesce(${row}.expires_at > `),
    sql`${sql.placeholder("now")}, true)`,
  ]);

/** Part of the statement that revokes, so that of two requests that revoke the last two keys at once, one fails. */
const isLastAdmin = sql`(${isAdmin("keys")} and not exists (
  select 1 from keys other where other.id <> keys.id and ${isAdmin("other")}))`;

export const keyRepository = ({ orm, commit, fresh, foreignVersion }: Database): Keys => {
  const value = sql.placeholder;
  const found = orm
    .select(COLUMNS)
    .from(keys)
    .where(eq(keys.id, value("id")))
    .limit(1)
    .prepare();
  const listed = orm
    .select(COLUMNS)
    .from(keys)
    .where(gt(keys.id, value("after")))
    .orderBy(asc(keys.id))
    .limit(value("limit"))
    .prepare();
  const opened = orm
    .select({ ...COLUMNS, secretExpiresAt: secrets.expiresAt })
    .from(secrets)
    .innerJoin(keys, eq(keys.id, secrets.keyId))
    .where(eq(secrets.hash, value("hash")))
    .limit(1)
    .prepare();
  const inserted = orm
    .insert(keys)
    .values({
      name: value("name"),
      scopes: value("scopes"),
      rateRequests: value("rateRequests"),
      rateSeconds: value("rateSeconds"),
      createdAt: value("now"),
      expiresAt: value("expiresAt"),
    })
    .returning({ id: keys.id })
    .prepare();
  const firstSecret = orm
    .insert(secrets)
    .values({
      hash: value("hash"),
      keyId: sql`last_insert_rowid()`,
      prefix: value("prefix"),
      createdAt: value("now"),
    })
    .prepare();
  const alive = and(eq(keys.id, value("id")), isNull(keys.revokedAt));
  const furtherSecret = insertSelect(
    orm,
    secrets,
    { hash: value("hash"), keyId: keys.id, prefix: value("prefix"), createdAt: value("now") },
    sql`from ${keys} where ${alive}`,
  )
    .returning({ hash: secrets.hash })
    .prepare();
  const olderSecretsEnded = orm
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
    .prepare();
  const endedSecretsGone = orm
    .delete(secrets)
    .where(and(eq(secrets.keyId, value("id")), lte(secrets.expiresAt, value("now"))))
    .prepare();
  const revoked = orm
    .update(keys)
    .set({ revokedAt: sql`coalesce(${keys.revokedAt}, ${value("now")})` })
    .where(and(eq(keys.id, value("id")), or(sql`${value("force")}`, not(isLastAdmin))))
    .returning({ id: keys.id })
    .prepare();
  const touched = orm
    .update(keys)
    .set({ lastUsedAt: sql`${value("at")}` })
    .where(and(eq(keys.id, value("id")), or(isNull(keys.lastUsedAt), lt(keys.lastUsedAt, value("at")))))
    .prepare();

  const cache = new Map<string, Key>();
  let cachedVersion = 0;
  const forget = () => cache.clear();

  const find = async (id: number) => {
    const row = found.get({ id });
    return row && toKey(row);
  };

  return {
    find,
    async add({ name, scopes, rate, expiresAt }, { hash, prefix }, now) {
      const values = {
        name,
        scopes: scopes.join(" "),
        rateRequests: rate?.requests ?? null,
        rateSeconds: rate?.seconds ?? null,
        expiresAt: expiresAt ?? null,
        now,
      };
      const [[row]] = await commit([
        { query: inserted, values },
        { query: firstSecret, values: { hash, prefix, now } },
      ]);
      if (!row) throw new Error("an insert returned no row");
      return toKey({ ...values, ...row, prefix, createdAt: now, lastUsedAt: null, revokedAt: null });
    },
    async list(page) {
      return listed.all({ ...page }).map(toKey);
    },
    async open(hash) {
      await fresh();
      const version = foreignVersion();
      if (version !== cachedVersion || cache.size > CACHED_KEYS) forget();
      cachedVersion = version;
      const known = cache.get(hash);
      if (known) return known;
      const row = opened.get({ hash });
      if (!row) return undefined;
      const found = { ...toKey(row), expiresAt: earliest(row.secretExpiresAt, row.expiresAt) };
      cache.set(hash, found);
      return found;
    },
    async rotate(id, { hash, prefix }, { now, oldUntil }) {
      const [added] = await commit([
        { query: furtherSecret, values: { id, hash, prefix, now } },
        { query: olderSecretsEnded, values: { id, hash, oldUntil } },
        { query: endedSecretsGone, values: { id, now } },
      ]);
      forget();
      return added.length > 0 ? find(id) : undefined;
    },
    async revoke(id, { now, force }) {
      const [rows] = await commit([{ query: revoked, values: { id, now, force: force ? 1 : 0 } }]);
      forget();
      return rows.length > 0;
    },
    async touch(lastUsed) {
      if (lastUsed.size === 0) return;
      await commit([...lastUsed].map(([id, at]) => ({ query: touched, values: { id, at } })));
    },
    async isEmpty() {
      return listed.all({ after: 0, limit: 1 }).length === 0;
    },
  };
};
