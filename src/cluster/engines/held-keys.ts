import type { Claim } from "../log.ts";
import { keepLease } from "./lease.ts";

/** Keys that the engine removes when their holder no longer renews them. */
export interface LeasedKeys {
  /** Puts a key, if there is none. Its time begins with this call. @returns undefined while another holder has it */
  put(key: string, ttlMs: number, value: string): Promise<(LeasedKey & Pick<Claim, "update">) | undefined>;
  /** The keys that begin with `prefix`, and their values. */
  list(prefix: string): Promise<ReadonlyMap<string, string>>;
}

/** A key of this process. */
export interface LeasedKey {
  /** @returns false if the engine has ended the lease */
  renew(patienceMs: number): Promise<boolean>;
  release(patienceMs: number): Promise<unknown>;
}

const RELEASE_PATIENCE_MS = 1000;

/** The keys that this process holds: each is renewed until it is released or lost. */
export const heldKeys = () => {
  const held = new Set<AsyncDisposable>();
  return {
    async hold<Key extends LeasedKey>(
      put: () => Promise<Key | undefined>,
      ttlMs: number,
    ): Promise<(Key & Pick<Claim, "lost"> & AsyncDisposable) | undefined> {
      const since = performance.now();
      const key = await put();
      if (!key) return undefined;
      const { lost, stop } = keepLease({ ttlMs, since, renew: () => key.renew(ttlMs / 3) });
      const own = {
        ...key,
        lost,
        async [Symbol.asyncDispose]() {
          stop();
          held.delete(own);
          // If this fails, it expires.
          await key.release(RELEASE_PATIENCE_MS).catch(() => {});
        },
      };
      lost.addEventListener("abort", () => held.delete(own));
      held.add(own);
      return own;
    },
    async close(): Promise<void> {
      await Promise.all([...held].map((own) => own[Symbol.asyncDispose]()));
    },
  };
};

export type HeldKeys = ReturnType<typeof heldKeys>;
