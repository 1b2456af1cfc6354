import { join } from "node:path";
import { writeDurably } from "../../lib/durable.ts";
import { readJson } from "../../lib/files.ts";
import { type Poller, repeat } from "../../lib/poller.ts";
import { quantity } from "../../lib/quantity.ts";
import { type Clock, DAY_MS, formatTime } from "../../lib/time.ts";

/** The content of the file. */
interface TrustedTime {
  /** A time that the clock showed before it jumped, in milliseconds UTC. */
  readonly trusted: number;
  /** The clock jumped while a server ran. Otherwise a later time may be that of a start after a long stop. */
  readonly hasJumped?: boolean;
}

/** A time of a clock. Date accepts some later ones, but not a sum of one and a duration. */
const isTime = (value: number): boolean =>
  Number.isSafeInteger(value) && Math.abs(value) < Date.UTC(10_000, 0);

const trustedTimePath = (dataDir: string): string => join(dataDir, "clock.json");

/** Undefined before the first start, or if the file is damaged. */
const readTrustedTime = (dataDir: string): TrustedTime | undefined => {
  const found = readJson(trustedTimePath(dataDir)) as TrustedTime | null | undefined;
  return found && isTime(found.trusted) ? found : undefined;
};

const writeTrustedTime = (dataDir: string, time: TrustedTime): Promise<void> =>
  writeDurably(trustedTimePath(dataDir), `${JSON.stringify(time)}\n`);

/** Confirms this time: deletions by age continue. A running server notices it. */
export const trustTime = (dataDir: string, trusted: number): Promise<void> =>
  writeTrustedTime(dataDir, { trusted });

/** A clock that differs from the expected time by more than a day. While it is in doubt, nothing is deleted by age. */
export interface ClockJump {
  shown: number;
  expected: number;
  /** Perhaps the server was only stopped: once it has run for a day, it trusts the clock. */
  mayBeStop: boolean;
}

/** Deletions by age keep data for days: a smaller jump deletes nothing too early that a person would miss. */
const MAX_JUMP_MS = DAY_MS;
/** How long a server runs before it takes a later time for that of a long stop. A wrong clock is corrected, or noticed, by then. */
const STOP_MS = DAY_MS;

const isJump = (ms: number): boolean => Math.abs(ms) > MAX_JUMP_MS;

/** The jump since the last time that a server of DATA_DIR trusted. */
export const clockJump = (dataDir: string, now: number): ClockJump | undefined => {
  const { trusted, hasJumped = false } = readTrustedTime(dataDir) ?? { trusted: now };
  return isJump(now - trusted)
    ? { shown: now, expected: trusted, mayBeStop: now > trusted && !hasJumped }
    : undefined;
};

const CONFIRM_CLOCK = "adoption-store clock --confirm";

export const describeJump = ({ shown, expected, mayBeStop }: ClockJump): string => {
  const days = quantity(Math.round(Math.abs(shown - expected) / DAY_MS), "day");
  return `The clock shows ${formatTime(shown)}, ${days} ${shown > expected ? "after" : "before"} the expected ${formatTime(expected)}, so nothing is deleted by age. If the clock is wrong, correct it. If it is right, run ${CONFIRM_CLOCK}${mayBeStop ? "; if the server was only stopped, it will trust the clock after running for a day" : ""}.`;
};

const WATCH_MS = 10_000;
/** How often the trusted time is saved. A jump by so much more than a day may be needed after a crash. */
const SAVE_MS = 60 * 60_000;

/**
 * Detects jumps of the clock: while the server runs, against a monotonic clock; at its start, against the last trusted time.
 * The clock is *trusted*, and the expected time follows it, until it jumps. It is then *in doubt* until it shows the expected
 * time again, or an operator confirms it. The file keeps the last trusted time, so a restart does not end the doubt.
 * @param newest the newest time in the database, for the first start with this file
 */
export const clockGuard = (
  dataDir: string,
  newest: number | undefined,
  {
    clock,
    steady = () => performance.now(),
    onChange,
    onError,
  }: {
    clock: Clock;
    steady?: () => number;
    onChange(jump: ClockJump | undefined): void;
    onError(error: unknown): void;
  },
) => {
  const saved = readTrustedTime(dataDir);
  const begun = steady();
  let base = { time: saved?.trusted ?? newest ?? clock.now(), steady: begun };
  let confirmed = saved?.trusted;
  let savedAt = -Infinity;
  let isInDoubt = false;

  const difference = () => clock.now() - base.time - (steady() - base.steady);
  /** How far the clock was ahead at the start, if the server may only have been stopped. */
  let stopped = saved?.hasJumped ? undefined : difference();

  const trust = (time: number): void => void (base = { time, steady: steady() });

  const measure = (): ClockJump | undefined => {
    const ms = difference();
    if (!isJump(ms)) return undefined;
    const shown = clock.now();
    const mayBeStop = ms > 0 && stopped !== undefined && !isJump(ms - stopped);
    if (!mayBeStop || steady() - begun < STOP_MS) return { shown, expected: shown - ms, mayBeStop };
    trust(shown);
    return undefined;
  };

  /** Undefined while the clock is trusted. */
  const jump = (): ClockJump | undefined => {
    const found = measure();
    if (!found) return undefined;
    const latest = readTrustedTime(dataDir)?.trusted;
    if (latest === undefined || latest === confirmed) return found;
    confirmed = latest;
    trust(latest);
    return measure();
  };

  const save = async (): Promise<void> => {
    const found = jump();
    savedAt = steady();
    confirmed = Math.round(found ? base.time : clock.now());
    const hasJumped = found && !found.mayBeStop;
    await writeTrustedTime(dataDir, { trusted: confirmed, ...(hasJumped && { hasJumped }) });
  };

  const watch = async () => {
    const found = jump();
    if (!found) {
      trust(clock.now());
      stopped = undefined;
    }
    const isNew = isInDoubt !== (found !== undefined);
    isInDoubt = found !== undefined;
    if (isNew) onChange(found);
    const isDue = found ? isNew : steady() - savedAt >= SAVE_MS;
    if (isDue) await save();
  };

  const poller: Poller = repeat(WATCH_MS, watch, { firstMs: 0, onError });
  return {
    jump,
    ...poller,
    async stop() {
      await poller.stop();
      if (!jump()) await save().catch(onError);
    },
  };
};

export type ClockGuard = ReturnType<typeof clockGuard>;
