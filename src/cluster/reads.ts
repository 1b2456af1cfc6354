import { oncePerTurn, type sharedReads } from "../db/fresh-reads.ts";
import { type HeadRequests, withPatience } from "./heads.ts";
import type { Progress } from "./progress.ts";

/** How long a read waits until the records that it must see are applied. */
const APPLY_PATIENCE_MS = 5000;
/** How often the engine is asked where the log ends, if nothing else asks. */
const POLL_MS = 250;
const MIN_POLL_MS = 50;
/** How old a site may be by default. */
const STALE_MS = 1000;

export interface ReplicaReadsOptions {
  progress: Progress;
  heads: Pick<HeadRequests, "ask">;
  /** The transaction that the reads of a turn share. */
  reads: ReturnType<typeof sharedReads>;
  /** Called when the log has records that the file does not hold. */
  follow(): void;
  /** How old what `recent` lets be read may be, in milliseconds. */
  staleMs?: number | undefined;
}

/** What reads of a replica wait for. */
export const replicaReads = ({ progress, heads, reads, follow, staleMs = STALE_MS }: ReplicaReadsOptions) => {
  /** Waits until the file holds every write that any node acknowledged before this call. */
  const confirm = async (): Promise<void> => {
    progress.assertUsable();
    const before = progress.applied();
    const sentAt = performance.now();
    const position = progress.learnEnd(await heads.ask(), before);
    if (position > progress.applied().position) {
      follow();
      await withPatience(progress.reach(position), APPLY_PATIENCE_MS, "the records that this node lacks");
    }
    progress.confirm(sentAt);
  };

  const begin = (): void => {
    // An open transaction may have begun before the last record was applied.
    reads.end();
    reads.begin();
  };

  let pending: Promise<void> | undefined;
  const confirmAndBegin = async (): Promise<void> => {
    await confirm();
    begin();
    setImmediate(reads.end);
  };
  const fresh = (): Promise<void> =>
    (pending ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        pending = undefined;
        confirmAndBegin().then(resolve, reject);
      });
    }));

  const pollMs = staleMs > 0 ? Math.max(MIN_POLL_MS, Math.min(POLL_MS, staleMs / 4)) : POLL_MS;
  const age = () => performance.now() - progress.confirmedAt();
  const asIs = oncePerTurn(begin, reads.end);
  let polling = false;
  const poll = async (): Promise<void> => {
    if (polling || age() < pollMs) return;
    polling = true;
    try {
      await confirm();
    } catch {
      // The next request finds out by itself, and says so.
    } finally {
      polling = false;
    }
  };

  return {
    fresh,
    async recent(): Promise<void> {
      if (progress.failure() || age() > staleMs) return fresh();
      return asIs();
    },
    /** Keeps `recent` from waiting while nothing else asks. */
    poll,
    stop: reads.stop,
    pollMs,
  };
};
