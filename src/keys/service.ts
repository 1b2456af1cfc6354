import { type Clock, LATEST_TIME, formatTime } from "../lib/time.ts";
import { Fault } from "../lib/errors.ts";
import { formatRate } from "./rate.ts";
import { type Excess, type Privileges, findExcess } from "./privileges.ts";
import type { Key, Keys, NewKey } from "./repository.ts";
import { type RandomBytes, hashOf, isWellFormed, mint, recordOf } from "./secret.ts";

/** A key together with its secret: the only time that the secret is shown. */
export interface Minted {
  key: Key;
  secret: string;
}

/** Whoever changes keys: an API key, or the operator at the command line, who may do everything. */
export type Actor = Privileges;

export const OPERATOR: Actor = { scopes: new Set(["*"]) };

export interface RevokeOptions {
  /** Revokes also the last usable key that can manage keys. */
  force?: boolean;
}

export interface KeyService {
  /**
   * The key behind a secret, with `expiresAt` as the end of that secret; undefined if the secret is malformed, unknown,
   * expired or revoked.
   */
  authenticate(secret: string): Promise<Key | undefined>;
  /** @throws Fault invalid_request, insufficient_scope */
  create(key: NewKey, actor: Actor): Promise<Minted>;
  get(id: number): Promise<Key>;
  list(page: { after: number; limit: number }): Promise<Key[]>;
  /**
   * Gives the key a new secret; the old ones live on for `graceSeconds`.
   * @throws Fault not_found, insufficient_scope, key_revoked, key_expired
   */
  rotate(id: number, graceSeconds: number, actor: Actor): Promise<Minted>;
  /**
   * Revokes the key, from the next request on. Revoking it again is fine.
   * @throws Fault not_found, insufficient_scope, last_admin_key
   */
  revoke(id: number, actor: Actor, options?: RevokeOptions): Promise<void>;
  /** The first key of an empty database, with all scopes; undefined if there is any key. `keep` stores it before it counts. */
  createFirst(keep: (secret: string) => Promise<void>): Promise<Key | undefined>;
  /** Writes the times of last use that have gathered. */
  flush(): Promise<void>;
}

const explain = (excess: Excess): string => {
  switch (excess.kind) {
    case "scope":
      return `Only a key that holds the scope ${excess.scope} itself may do this.`;
    case "lifetime":
      return `The secret you sent ends ${formatTime(excess.end)}: it cannot create, rotate or revoke a key that is valid for longer.`;
    case "rate":
      return `Your key is limited to ${formatRate(excess.rate)}: it cannot create, rotate or revoke a key with a looser limit or none.`;
  }
};

/** @throws Fault insufficient_scope */
const assertWithin = (actor: Actor, reach: Privileges) => {
  const excess = findExcess(actor, reach);
  if (excess) throw new Fault("insufficient_scope", explain(excess));
};

export const keyService = ({
  keys,
  clock,
  random,
}: {
  keys: Keys;
  clock: Clock;
  random: RandomBytes;
}): KeyService => {
  let lastUsed = new Map<number, number>();

  const get = async (id: number) => {
    const key = await keys.find(id);
    if (!key) throw new Fault("not_found", "There is no API key with this id.");
    return key;
  };

  return {
    get,
    list: (page) => keys.list(page),
    async authenticate(secret) {
      const key = isWellFormed(secret) ? await keys.open(hashOf(secret)) : undefined;
      const now = clock.now();
      if (!key || key.revokedAt !== undefined || (key.expiresAt !== undefined && key.expiresAt <= now))
        return undefined;
      lastUsed.set(key.id, now);
      return key;
    },
    async create(key, actor) {
      assertWithin(actor, { ...key, scopes: new Set(key.scopes) });
      const now = clock.now();
      const { expiresAt } = key;
      if (expiresAt !== undefined && !(expiresAt > now && expiresAt <= LATEST_TIME))
        throw new Fault("invalid_request", "expiresAt: must lie in the future, and before the year 10000");
      const secret = mint(random);
      return { key: await keys.add(key, recordOf(secret), now), secret };
    },
    async rotate(id, graceSeconds, actor) {
      const before = await get(id);
      assertWithin(actor, before);
      const now = clock.now();
      if (before.revokedAt !== undefined) throw new Fault("key_revoked");
      if (before.expiresAt !== undefined && before.expiresAt <= now) throw new Fault("key_expired");
      const secret = mint(random);
      const key = await keys.rotate(id, recordOf(secret), { now, oldUntil: now + graceSeconds * 1000 });
      // Another request has revoked it meanwhile.
      if (!key) throw new Fault("key_revoked");
      return { key, secret };
    },
    async revoke(id, actor, { force = false } = {}) {
      assertWithin(actor, await get(id));
      if (!(await keys.revoke(id, { now: clock.now(), force }))) throw new Fault("last_admin_key");
    },
    async createFirst(keep) {
      if (!(await keys.isEmpty())) return undefined;
      const secret = mint(random);
      // Kept first: a crash in between leaves a file without a key, which the next start replaces.
      await keep(secret);
      return keys.add({ name: "admin", scopes: ["*"] }, recordOf(secret), clock.now());
    },
    async flush() {
      const batch = lastUsed;
      lastUsed = new Map();
      try {
        await keys.touch(batch);
      } catch (error) {
        lastUsed = new Map([...batch, ...lastUsed]);
        throw error;
      }
    },
  };
};
