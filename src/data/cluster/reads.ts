import { oncePerTurn } from "../db/fresh-reads.ts";
import type { Parts, ReplicaOptions } from "./parts.ts";
import { isSpeculative, type Outcome, speculate } from "./speculation.ts";

const APPLY_MS = 5000;
/** How often the engine is asked for the end of the log, if nothing else asks. */
const POLL_MS = 250;
const MIN_POLL_MS = 50;
/** How long a notice of the engine waits for an event that makes it unnecessary. */
const NOTICE_MS = 10;
const STALE_MS = 1000;
/** How long no other writer must have changed the file until requests read it as it is: two runs cost more than a round trip. */
const QUIET_MS = 1000;

const pollInterval = (staleMs: number): number =>
  staleMs > 0 ? Math.max(MIN_POLL_MS, Math.min(POLL_MS, staleMs / 4)) : POLL_MS;

/**
 * The conditions that reads of a replica wait for.
 * @param follow called when the log has records that the file does not hold
 */
export const replicaReads = (
  { progress, heads, reads, changes, foreignVersion, running }: Parts,
  { staleMs = STALE_MS, applyMs = APPLY_MS }: ReplicaOptions,
  follow: () => void,
) => {
  const reach = async (position: number): Promise<void> => {
    try {
      await progress.reach(position, applyMs);
    } catch (error) {
      // The engine may respond, and this disk be full.
      throw progress.failure() ? error : (progress.obstacle() ?? error);
    }
  };

  /** Waits until the file holds every write that any node acknowledged before this call. */
  const confirm = async (): Promise<void> => {
    progress.assertUsable();
    const before = progress.applied();
    const sentAt = performance.now();
    const position = progress.learnEnd(await heads.ask(), before);
    if (position > progress.applied().position) {
      follow();
      await reach(position);
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

  const pollMs = pollInterval(staleMs);
  const age = () => performance.now() - progress.confirmedAt();
  const asIs = oncePerTurn(begin, reads.end);

  let looking = false;
  let noticedAt = -Infinity;
  let noticing: ReturnType<typeof setTimeout> | undefined;

  /** Polls the end of the log when there are no reads. */
  const look = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    try {
      await confirm();
      if (progress.confirmedAt() < noticedAt) notice();
    } catch {
      // The next request detects and reports the problem.
    } finally {
      looking = false;
    }
  };

  /** The log may have grown. Usually this node's own record is the reason, or the node's regular requests show it. */
  const notice = (): void => {
    noticedAt = performance.now();
    noticing ??= setTimeout(() => {
      noticing = undefined;
      if (progress.confirmedAt() < noticedAt) void look();
    }, NOTICE_MS);
  };

  changes.detect();
  let seen = { version: foreignVersion(), at: -Infinity };
  const version = (): number => {
    changes.detect();
    const found = foreignVersion();
    if (found !== seen.version) seen = { version: found, at: performance.now() };
    return found;
  };
  const mayBeCurrent = (): boolean => {
    version();
    const isQuiet = performance.now() - seen.at > QUIET_MS;
    return isQuiet && !progress.isBehind() && !progress.failure() && !heads.isUnreachable();
  };

  return {
    fresh: (): Promise<void> => (isSpeculative() ? asIs() : fresh()),
    async speculate<Result>(run: () => Promise<Result>): Promise<Outcome<Result>> {
      await running.attempt.catch(() => {});
      return speculate({ mayBeCurrent: mayBeCurrent(), version, confirm: fresh }, run);
    },
    async recent(): Promise<void> {
      if (progress.failure() || age() > staleMs) return fresh();
      return asIs();
    },
    /** Keeps `recent` from waiting while nothing else asks. */
    poll: (): void => {
      if (age() >= pollMs) void look();
    },
    notice,
    stop(): void {
      clearTimeout(noticing);
      reads.stop();
    },
    pollMs,
  };
};
