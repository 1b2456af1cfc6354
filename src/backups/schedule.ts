import { reasonOf } from "../lib/reason.ts";
import { type Poller, repeat } from "../lib/poller.ts";
import type { Clock } from "../lib/time.ts";

/** The state of the scheduled backups. Times are milliseconds UTC. */
export interface BackupStatus {
  /** When the newest backup was taken; undefined if there is none. */
  lastSuccess: number | undefined;
  /** When the next backup is due. */
  due: number;
  /** How many attempts have failed since the last success, and why the last one did. */
  failures: number;
  reason: string;
}

/** How late a backup may be before it counts as overdue. */
const GRACE_MS = 60 * 60_000;

/** True if a backup is overdue. @param every the schedule, in milliseconds */
export const isOverdue = (due: number, every: number, now: number): boolean =>
  now > due + Math.min(every, GRACE_MS);

/** Takes a backup when one is due. `stop` ends a backup in progress. */
export interface BackupScheduler extends Poller {
  /** Undefined before the first tick. */
  status(): BackupStatus | undefined;
}

export interface BackupSchedulerOptions {
  /** The time from one backup to the next, in milliseconds. */
  every: number;
  /** When the newest backup of this store was taken, manual ones included; undefined if there is none. */
  newest: () => number | undefined;
  take: () => Promise<void>;
  /** Cancels the backup in progress. */
  cancel: () => Promise<void>;
  clock: Clock;
  /** Called when a backup fails. */
  onError: (error: unknown) => void;
}

const TICK_MS = 1000;
/** The pause after a failed backup: a full disk stays full for a while. */
const RETRY_MS = 15 * 60_000;

export const backupScheduler = ({
  every,
  newest,
  take,
  cancel,
  clock,
  onError,
}: BackupSchedulerOptions): BackupScheduler => {
  let next = 0;
  let state: BackupStatus | undefined;
  let isStopped = false;

  /** Earlier backups count, so that a restart takes none too early. */
  const initialStatus = (now: number): BackupStatus => {
    const first = { lastSuccess: undefined, due: now, failures: 0, reason: "" };
    try {
      const last = newest();
      next = last === undefined ? now : last + every;
      // If a backup became due while no server ran, it is due now.
      return { ...first, lastSuccess: last, due: Math.max(now, next) };
    } catch (error) {
      onError(error);
      next = now + Math.min(every, RETRY_MS);
      return { ...first, failures: 1, reason: reasonOf(error) };
    }
  };

  const attempt = async (start: number, before: BackupStatus) => {
    try {
      await take();
      next = start + every;
      state = { lastSuccess: start, due: next, failures: 0, reason: "" };
    } catch (error) {
      if (isStopped) return;
      next = start + Math.min(every, RETRY_MS);
      state = { ...before, failures: before.failures + 1, reason: reasonOf(error) };
      onError(error);
    }
  };

  const takeIfDue = async () => {
    const now = clock.now();
    state ??= initialStatus(now);
    // The clock was set back.
    if (next > now + every) next = now + every;
    if (state.due > now + every) state = { ...state, due: now + every };
    if (next <= now) await attempt(now, state);
  };

  const poller = repeat(TICK_MS, takeIfDue, { onError });
  return {
    ...poller,
    status: () => state,
    start() {
      isStopped = false;
      poller.start();
    },
    async stop() {
      isStopped = true;
      const stopped = poller.stop();
      await cancel();
      await stopped;
      // Until it starts again, another node may take them.
      state = undefined;
    },
  };
};
