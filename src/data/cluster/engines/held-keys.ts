import type { Claim } from "../log.ts";

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

interface LeaseOptions {
  ttlMs: number;
  /** When the request was sent that began the lease, as a time of `performance.now()`. */
  since: number;
  renew: () => Promise<boolean>;
}

/** A lease is taken for ended so much before its time: clocks do not run at the same speed. */
const MARGIN = 0.1;

/**
 * Renews a lease each third of its time. It lasts from when the renewal was *sent*, so the engine ends it later than this node
 * does, regardless of network delays.
 */
export const keepLease = ({ ttlMs, since, renew }: LeaseOptions) => {
  const lost = new AbortController();
  let deadline = since + ttlMs * (1 - MARGIN);
  let isStopped = false;
  let timer: NodeJS.Timeout;

  const stop = () => {
    isStopped = true;
    clearTimeout(timer);
  };
  const end = (reason: string) => {
    if (isStopped) return;
    stop();
    lost.abort(reason);
  };
  const schedule = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(next, Math.min(ms, deadline - performance.now()));
  };
  const next = () => {
    // A stopped process resumes here late.
    if (performance.now() >= deadline) return end("no renewal was confirmed in time");
    const sent = performance.now();
    schedule(deadline - sent);
    void renewSince(sent);
  };
  const renewSince = async (sent: number): Promise<void> => {
    try {
      const isHeld = await renew();
      if (isStopped) return;
      if (!isHeld) return end("the engine ended it");
      deadline = Math.max(deadline, sent + ttlMs * (1 - MARGIN));
      schedule(ttlMs / 3);
    } catch {
      if (!isStopped) schedule(ttlMs / 10);
    }
  };
  schedule(ttlMs / 3);
  /** `lost` aborts when the lease may have ended, with the reason. */
  return { lost: lost.signal, stop };
};

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
