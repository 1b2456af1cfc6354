import type { Clock } from "../time.ts";

/** Takes backups when it is time. */
export interface BackupKeeper {
  start(): void;
  /** Takes one if it is time. Never fails. */
  tick(): Promise<void>;
  /** Begins no more, and ends what is under way. */
  stop(): Promise<void>;
}

export interface BackupKeeperSettings {
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

export const backupKeeper = ({
  every,
  newest,
  take,
  abandon,
  clock,
  failed,
}: BackupKeeperSettings): BackupKeeper => {
  let timer: ReturnType<typeof setInterval> | undefined;
  let running: Promise<void> | undefined;
  let next: number | undefined;
  let isStopped = false;

  /** The one before counts whoever took it, so that a start takes none too early. */
  const dueAt = (now: number): number => {
    try {
      const last = newest();
      return last === undefined ? now : last + every;
    } catch (error) {
      failed(error);
      return now + Math.min(every, REST_MS);
    }
  };

  const attempt = async (begun: number) => {
    try {
      await take();
      next = begun + every;
    } catch (error) {
      if (isStopped) return;
      next = begun + Math.min(every, REST_MS);
      failed(error);
    }
  };

  const tick = async () => {
    if (isStopped || running) return running;
    const now = clock.now();
    next ??= dueAt(now);
    // The clock was set back.
    if (next > now + every) next = now + every;
    if (next > now) return undefined;
    running = attempt(now).finally(() => (running = undefined));
    return running;
  };

  return {
    tick,
    start() {
      timer = setInterval(tick, TICK_MS);
    },
    async stop() {
      isStopped = true;
      clearInterval(timer);
      if (!running) return;
      await abandon();
      await running;
    },
  };
};
