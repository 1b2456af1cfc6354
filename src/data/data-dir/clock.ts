import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeDurably } from "../../lib/durable.ts";
import { type Poller, repeat } from "../../lib/poller.ts";
import { quantity } from "../../lib/quantity.ts";
import { type Clock, DAY_MS, formatTime } from "../../lib/time.ts";

/** A time that the clock showed before it jumped. */
interface TrustedTime {
  /** Milliseconds UTC. */
  trusted: number;
}

const trustedTimePath = (dataDir: string): string => join(dataDir, "clock.json");

/** Undefined before the first start, or if the file is damaged. */
const readTrustedTime = (dataDir: string): number | undefined => {
  try {
    const { trusted } = JSON.parse(readFileSync(trustedTimePath(dataDir), "utf8")) as Partial<TrustedTime>;
    return Number.isSafeInteger(trusted) ? trusted : undefined;
  } catch {
    return undefined;
  }
};

/** Confirms this time: deletions by age continue. A running server notices it. */
export const trustTime = (dataDir: string, trusted: number): Promise<void> =>
  writeDurably(trustedTimePath(dataDir), `${JSON.stringify({ trusted } satisfies TrustedTime)}\n`);

/** A clock that differs from the expected time by more than a day. Until an operator confirms it, nothing is deleted by age. */
export interface ClockJump {
  shown: number;
  expected: number;
}

/** Deletions by age keep data for days: a smaller jump deletes nothing too early that a person would miss. */
const MAX_JUMP_MS = DAY_MS;

const jumpBetween = (expected: number, shown: number): ClockJump | undefined =>
  Math.abs(shown - expected) > MAX_JUMP_MS ? { shown, expected } : undefined;

/** The jump since the last time that a server of DATA_DIR trusted. */
export const clockJump = (dataDir: string, now: number): ClockJump | undefined =>
  jumpBetween(readTrustedTime(dataDir) ?? now, now);

const CONFIRM_CLOCK = "adoption-store clock --confirm";

export const describeJump = ({ shown, expected }: ClockJump): string => {
  const days = quantity(Math.round(Math.abs(shown - expected) / DAY_MS), "day");
  return `The clock shows ${formatTime(shown)}, ${days} ${shown > expected ? "after" : "before"} the expected ${formatTime(expected)}, so nothing is deleted by age. If the clock is wrong, correct it. If it is right, for example after a long stop, run ${CONFIRM_CLOCK}.`;
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
  let base = { time: saved ?? newest ?? clock.now(), steady: steady() };
  let confirmed = saved;
  let savedAt = -Infinity;
  let isInDoubt = false;

  const measure = () => jumpBetween(base.time + (steady() - base.steady), clock.now());

  /** Undefined while the clock is trusted. */
  const jump = (): ClockJump | undefined => {
    const found = measure();
    if (!found) return undefined;
    const latest = readTrustedTime(dataDir);
    if (latest === undefined || latest === confirmed) return found;
    confirmed = latest;
    base = { time: latest, steady: steady() };
    return measure();
  };

  const save = async (): Promise<void> => {
    const found = jump();
    savedAt = steady();
    confirmed = Math.round(found ? base.time : clock.now());
    await trustTime(dataDir, confirmed);
  };

  const watch = async () => {
    const found = jump();
    if (!found) base = { time: clock.now(), steady: steady() };
    if (isInDoubt !== (found !== undefined)) onChange(found);
    isInDoubt = found !== undefined;
    if (steady() - savedAt >= SAVE_MS && (!found || confirmed === undefined)) await save();
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
