import type { Context } from "../../data/context.ts";
import { LATEST_TIME, formatTime } from "../../lib/time.ts";
import { SERVICE } from "../../lib/actor.ts";
import { Fault, fieldFault } from "../../lib/errors.ts";
import { lastUseRecorder } from "../../lib/last-use.ts";
import { formatRate } from "../../lib/rate-limiter.ts";
import { type Excess, type Manager, type Privileges, findExcess } from "../privilege-ceiling.ts";
import { type AuthenticatedKey, type Key, type NewKey, keyRepository } from "./repository.ts";
import { hashOf, isWellFormed, createSecret, recordOf } from "./secret.ts";

/** A key with its secret, which is shown only once. */
export interface KeyWithSecret {
  key: Key;
  secret: string;
}

const FIRST_KEY: NewKey = { name: "admin", scopes: ["*"] };

/** The file that stores the secret of the first key. */
interface SecretFile {
  save(secret: string): Promise<void>;
  remove(): Promise<void>;
}

interface RevokeOptions {
  /** Revokes even the last key that can grant its scopes. */
  force?: boolean;
}

const describeExcess = (excess: Excess): string => {
  switch (excess.kind) {
    case "scope":
      return `Only a key that holds the scope ${excess.scope} itself may do this.`;
    case "lifetime":
      return `The secret you sent expires at ${formatTime(excess.end)}: it cannot create, rotate or revoke a key that is valid for longer.`;
    case "rate":
      return `Your key is limited to ${formatRate(excess.rate)}: it cannot create, rotate or revoke a key with a looser limit or none.`;
  }
};

/** @throws Fault insufficient_scope */
const assertWithin = (actor: Privileges, privileges: Privileges) => {
  const excess = findExcess(actor, privileges);
  if (excess) throw new Fault("insufficient_scope", describeExcess(excess));
};

/** The field of a new key that exceeds its creator. */
const EXCEEDING = { scope: "scopes", lifetime: "expiresAt", rate: "rateLimit" } as const;

/** @throws Fault insufficient_scope */
const assertMayCreate = (actor: Manager, key: NewKey) => {
  const excess = findExcess(actor, { ...key, scopes: new Set(key.scopes) });
  if (!excess) return;
  const problem = { field: EXCEEDING[excess.kind], rule: "forbidden" } as const;
  throw fieldFault("insufficient_scope", problem, describeExcess(excess));
};

/** @throws Fault invalid_request */
const assertExpires = (expiresAt: number | undefined, now: number) => {
  if (expiresAt === undefined || (expiresAt > now && expiresAt <= LATEST_TIME)) return;
  throw fieldFault(
    "invalid_request",
    { field: "expiresAt", rule: expiresAt > now ? "maximum" : "minimum" },
    "expiresAt: must be in the future and before the year 10000",
  );
};

/** @param touch stores when keys were last used, instead of the database */
export const openKeys = (
  { database, clock, randomBytes }: Context,
  touch?: ReturnType<typeof keyRepository>["touch"],
) => {
  const keys = keyRepository(database);
  const { record: recordUse, flush } = lastUseRecorder(touch ?? keys.touch);
  const get = async (id: number): Promise<Key> => {
    const key = await keys.find(id);
    if (!key) throw new Fault("not_found", "There is no API key with this id.");
    return key;
  };

  return {
    get,
    /** The keys after the id `after`, ascending by id. */
    list: (page: { after: number; limit: number }): Promise<Key[]> => keys.list(page),
    /**
     * The key that a secret belongs to; its `expiresAt` is when this secret expires. Undefined if the secret is malformed,
     * unknown, expired or revoked.
     */
    async authenticate(secret: string): Promise<AuthenticatedKey | undefined> {
      const key = isWellFormed(secret) ? await keys.findBySecret(hashOf(secret)) : undefined;
      const now = clock.now();
      if (!key || key.revokedAt !== undefined || (key.expiresAt !== undefined && key.expiresAt <= now))
        return undefined;
      recordUse(key.id, now);
      return key;
    },
    /** @throws Fault invalid_request, insufficient_scope */
    async create(key: NewKey, actor: Manager): Promise<KeyWithSecret> {
      assertMayCreate(actor, key);
      const now = clock.now();
      assertExpires(key.expiresAt, now);
      const secret = createSecret(randomBytes);
      return { key: await keys.add(key, recordOf(secret), { actor, now }), secret };
    },
    /**
     * Gives the key a new secret. The old ones stay valid for `graceSeconds`.
     * @throws Fault not_found, insufficient_scope, key_revoked, key_expired
     */
    async rotate(id: number, graceSeconds: number, actor: Manager): Promise<KeyWithSecret> {
      const before = await get(id);
      assertWithin(actor, before);
      const now = clock.now();
      if (before.revokedAt !== undefined) throw new Fault("key_revoked");
      if (before.expiresAt !== undefined && before.expiresAt <= now) throw new Fault("key_expired");
      const secret = createSecret(randomBytes);
      const times = { act: { actor, now }, oldUntil: now + graceSeconds * 1000 };
      const key = await keys.rotate(id, recordOf(secret), times);
      // Another request revoked it in the meantime.
      if (!key) throw new Fault("key_revoked");
      return { key, secret };
    },
    /**
     * Revokes the key from the next request on. Revoking it again does nothing.
     * @throws Fault not_found, insufficient_scope, last_admin_key
     */
    async revoke(id: number, actor: Manager, { force = false }: RevokeOptions = {}): Promise<void> {
      assertWithin(actor, await get(id));
      const act = { actor, now: clock.now() };
      if (!(await keys.revoke(id, { act, force }))) throw new Fault("last_admin_key");
    },
    /**
     * Creates a key with all scopes after `save` has stored its secret. Undefined if another key, or an administrator who can
     * sign in, can create keys with all scopes.
     */
    async createFirst({ save, remove }: SecretFile): Promise<Key | undefined> {
      if (await keys.hasFullAccess(clock.now())) return undefined;
      const secret = createSecret(randomBytes);
      // The secret is saved first: after a crash in between, the next start replaces the file, which has no key yet.
      await save(secret);
      const key = await keys.addFirst(FIRST_KEY, recordOf(secret), { actor: SERVICE, now: clock.now() });
      // Another process has created it meanwhile.
      if (!key) await remove();
      return key;
    },
    recordUse,
    flush,
  };
};

export type KeyService = ReturnType<typeof openKeys>;
