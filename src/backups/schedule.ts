import { reasonOf } from "../lib/reason.ts";
import { type Poller, repeat } from "../lib/poller.ts";
import type { Clock } from "../lib/time.ts";

/** The state of the scheduled backups. Times are milliseconds UTC. */
export interface BackupStatus {
  /** When the newest was taken; undefined if there is none. */
  lastSuccess: number | undefined;
  /** When the next is due. */
  due: number;
  /** Attempts that failed since, and why the last did. */
  failures: number;
  reason: string;
}

/** How late a backup may be before it counts as overdue. */
const GRACE_MS = 60 * 60_000;

/** True if a backup is overdue. @param every the schedule, in milliseconds */
export const isOverdue = (due: number, every: number, now: number): boolean =>
  now > due + Math.min(every, GRACE_MS);

/** Takes a backup when one is due. `stop` ends the one that is in progress. */
export interface BackupScheduler extends Poller {
  /** Undefined before the first tick. */
  status(): BackupStatus | undefined;
}

export interface BackupSchedulerOptions {
  /** From one to the next, in milliseconds. */
  every: number;
  /** When the newest was taken, by whomever; undefined if there is none. */
  newest: () => number | undefined;
  take: () => Promise<void>;
  /** Ends the one that is under way. */
  abandon: () => Promise<void>;
  clock: Clock;
  /** Told of one that could not be taken. */
  failed: (error: unknown) => void;
}

const TICK_MS = 1000;
/** How long it rests after one that failed; a full disk stays full for a while. */
const REST_MS = 15 * 60_000;

export const backupScheduler = ({
  every,
  newest,
  take,
  abandon,
  clock,
  failed,
}: BackupSchedulerOptions): BackupScheduler => {
  let next = 0;
  let state: BackupStatus | undefined;
  let isStopped = false;

  /** The one before counts whoever took it, so that a start takes none too early. */
  const begin = (now: number): BackupStatus => {
    const first = { lastSuccess: undefined, due: now, failures: 0, reason: "" };
    try {
      const last = newest();
      next = last === undefined ? now : last + every;
      // What fell due while no server ran is due now.
      return { ...first, lastSuccess: last, due: Math.max(now, next) };
    } catch (error) {
      failed(error);
      next = now + Math.min(every, REST_MS);
      return { ...first, failures: 1, reason: reasonOf(error) };
    }
  };

  const attempt = async (begun: number, before: BackupStatus) => {
    try {
      await take();
      next = begun + every;
      state = { lastSuccess: begun, due: next, failures: 0, reason: "" };
    } catch (error) {
      if (isStopped) return;
      next = begun + Math.min(every, REST_MS);
      state = { ...before, failures: before.failures + 1, reason: reasonOf(error) };
      failed(error);
    }
  };

  const takeIfDue = async () => {
    const now = clock.now();
    state ??= begin(now);
    // The clock was set back.
    if (next > now + every) next = now + every;
    if (state.due > now + every) state = { ...state, due: now + every };
    if (next <= now) await attempt(now, state);
  };

  const poller = repeat(TICK_MS, takeIfDue, { onError: failed });
  return {
    ...poller,
    status: () => state,
    async stop() {
      isStopped = true;
      const stopped = poller.stop();
      await abandon();
      await stopped;
    },
  };
};
