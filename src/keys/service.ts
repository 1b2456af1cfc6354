import { type Clock, LATEST_TIME } from "../time.ts";
import { Fault } from "../http/faults.ts";
import type { Key, Keys, NewKey } from "./repository.ts";
import { type Grant, covers } from "./scopes.ts";
import { type RandomBytes, hashOf, isWellFormed, mint, recordOf } from "./secret.ts";

/** A key together with its secret: the only time that the secret is shown. */
export interface Minted {
  key: Key;
  secret: string;
}

/** Whoever changes keys: an API key, or the operator at the command line, who may do everything. */
export type Actor = Pick<Key, "scopes" | "expiresAt">;

export const OPERATOR: Actor = { scopes: new Set(["*"]), expiresAt: undefined };

export interface KeyService {
  /** The key behind a secret; undefined if the secret is malformed, unknown, expired or revoked. */
  authenticate(secret: string): Promise<Key | undefined>;
  create(key: NewKey, actor: Actor): Promise<Minted>;
  get(id: number): Promise<Key>;
  list(page: { after: number; limit: number }): Promise<Key[]>;
  /** Gives the key a new secret; the old ones live on for `graceSeconds`. */
  rotate(id: number, graceSeconds: number, actor: Actor): Promise<Minted>;
  /** Ends the key from the next request on. Again is fine. */
  revoke(id: number, actor: Actor): Promise<void>;
  /** The first key of an empty database, with all scopes; undefined if there is any key. `keep` stores it before it counts. */
  createFirst(keep: (secret: string) => Promise<void>): Promise<Key | undefined>;
  /** Writes the times of last use that have gathered. */
  flush(): Promise<void>;
}

/** Nobody hands out, renews or ends more than he holds himself. */
const assertCovers = (actor: Actor, scopes: Iterable<Grant>) => {
  for (const scope of scopes)
    if (!covers(actor.scopes, scope))
      throw new Fault("insufficient_scope", `Only a key that holds the scope ${scope} itself may do this.`);
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
      const opened = isWellFormed(secret) ? await keys.open(hashOf(secret)) : undefined;
      const now = clock.now();
      if (
        !opened ||
        opened.key.revokedAt !== undefined ||
        (opened.until !== undefined && opened.until <= now)
      )
        return undefined;
      lastUsed.set(opened.key.id, now);
      return opened.key;
    },
    async create(key, actor) {
      assertCovers(actor, key.scopes);
      const now = clock.now();
      const { expiresAt = Number.POSITIVE_INFINITY } = key;
      if (key.expiresAt !== undefined && !(expiresAt > now && expiresAt <= LATEST_TIME))
        throw new Fault("invalid_request", "expiresAt: must lie in the future, and before the year 10000");
      if (expiresAt > (actor.expiresAt ?? Number.POSITIVE_INFINITY))
        throw new Fault("insufficient_scope", "A key that ends cannot make one that lives longer.");
      const secret = mint(random);
      return { key: await keys.add(key, recordOf(secret), now), secret };
    },
    async rotate(id, graceSeconds, actor) {
      const { scopes, expiresAt } = await get(id);
      assertCovers(actor, scopes);
      const now = clock.now();
      if (expiresAt !== undefined && expiresAt <= now)
        throw new Fault("invalid_request", `API key ${id} has expired: make a new one instead.`);
      const secret = mint(random);
      const key = await keys.rotate(id, recordOf(secret), { now, oldUntil: now + graceSeconds * 1000 });
      if (!key) throw new Fault("invalid_request", `API key ${id} is revoked: make a new one instead.`);
      return { key, secret };
    },
    async revoke(id, actor) {
      assertCovers(actor, (await get(id)).scopes);
      await keys.revoke(id, clock.now());
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
