/** A lease that is renewed until `stop`. */
export interface KeptLease {
  /** Aborts when the lease may have ended. */
  readonly lost: AbortSignal;
  stop(): void;
}

interface LeaseOptions {
  ttlMs: number;
  /** When the request was sent that began the lease, as a time of `performance.now()`. */
  since: number;
  /** @returns false if the engine has ended the lease */
  renew: () => Promise<boolean>;
}

/** A lease is taken for ended so much before its time: clocks do not run at the same speed. */
const MARGIN = 0.1;

/**
 * Renews a lease each third of its time. It lasts from when the renewal was *sent*, so the engine ends it later than this node
 * does, regardless of network delays.
 */
export const keepLease = ({ ttlMs, since, renew }: LeaseOptions): KeptLease => {
  const lost = new AbortController();
  let deadline = since + ttlMs * (1 - MARGIN);
  let isStopped = false;
  let timer: NodeJS.Timeout;

  const stop = () => {
    isStopped = true;
    clearTimeout(timer);
  };
  const end = () => {
    if (isStopped) return;
    stop();
    lost.abort();
  };
  const schedule = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(next, Math.min(ms, deadline - performance.now()));
  };
  const next = () => {
    // A stopped process resumes here late.
    if (performance.now() >= deadline) return end();
    const sent = performance.now();
    schedule(deadline - sent);
    void renewSince(sent);
  };
  const renewSince = async (sent: number): Promise<void> => {
    try {
      const isHeld = await renew();
      if (isStopped) return;
      if (!isHeld) return end();
      deadline = Math.max(deadline, sent + ttlMs * (1 - MARGIN));
      schedule(ttlMs / 3);
    } catch {
      if (!isStopped) schedule(ttlMs / 10);
    }
  };
  schedule(ttlMs / 3);
  return { lost: lost.signal, stop };
};
