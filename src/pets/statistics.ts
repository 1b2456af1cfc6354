import { setImmediate as nextTurn } from "node:timers/promises";
import { type Clock, formatTime } from "../lib/time.ts";
import { DAY_MS, type DayCounts } from "./queries.ts";
import type { PetRepository } from "./repository.ts";

/** How many days the statistics cover, today included. */
export const DAYS = 30;

/** Animals counted in one turn of the event loop: a few milliseconds, after which other requests run. */
const SLICE_ROWS = 10_000;

/** The greatest age of a count that misses changes and deletions. */
const RECOUNT_MS = 10_000;

export interface PetCounts {
  total: number;
  byStatus: { available: number; pending: number; sold: number; none: number };
  /** The last `DAYS` days in UTC, oldest first. */
  addedByDay: { date: string; count: number }[];
}

/** The count of all animals up to the id `lastId`. */
interface Totals {
  lastId: number;
  total: number;
  available: number;
  pending: number;
  sold: number;
  /** Keys are days since 1970. */
  byDay: Map<number, number>;
}

const emptyTotals = (): Totals => ({
  lastId: 0,
  total: 0,
  available: 0,
  pending: 0,
  sold: 0,
  byDay: new Map(),
});

const addDay = (totals: Totals, { day, total, available, pending, sold, lastId }: DayCounts): void => {
  totals.total += total;
  totals.available += available;
  totals.pending += pending;
  totals.sold += sold;
  totals.lastId = Math.max(totals.lastId, lastId);
  totals.byDay.set(day, (totals.byDay.get(day) ?? 0) + total);
};

/** @param now milliseconds UTC */
const toPetCounts = ({ total, available, pending, sold, byDay }: Totals, now: number): PetCounts => {
  const oldest = Math.floor(now / DAY_MS) - DAYS + 1;
  return {
    total,
    byStatus: { available, pending, sold, none: total - available - pending - sold },
    addedByDay: Array.from({ length: DAYS }, (_, index) => ({
      date: formatTime((oldest + index) * DAY_MS).slice(0, 10),
      count: byDay.get(oldest + index) ?? 0,
    })),
  };
};

/**
 * Counts animals in slices; concurrent requests share one count. Ids only grow, so a count continues after the last id it
 * has seen. Changes and deletions of counted animals need a new count. It starts at most every ten seconds, and only if
 * `version` has changed.
 */
export const petStatistics = ({
  countByDay,
  version,
  clock,
}: {
  countByDay: PetRepository["countByDay"];
  version: () => number;
  clock: Clock;
}) => {
  let totals = emptyTotals();
  let countedAt = Number.NEGATIVE_INFINITY;
  let countedVersion = -1;
  let running: Promise<void> | undefined;

  const countFurther = async (counting: Totals): Promise<void> => {
    for (;;) {
      const before = counting.total;
      for (const day of countByDay({ after: counting.lastId, limit: SLICE_ROWS })) addDay(counting, day);
      if (counting.total - before < SLICE_ROWS) return;
      await nextTurn();
    }
  };

  const count = async (): Promise<void> => {
    // Read before the rows: the next count sees what is written during this one.
    const [now, current] = [clock.now(), version()];
    const isOld = current !== countedVersion && Math.abs(now - countedAt) >= RECOUNT_MS;
    if (!isOld) return countFurther(totals);
    const newTotals = emptyTotals();
    await countFurther(newTotals);
    [totals, countedAt, countedVersion] = [newTotals, now, current];
  };

  return {
    /** New animals count at once; everything else is at most ten seconds old. */
    async read(): Promise<PetCounts> {
      running ??= count().finally(() => {
        running = undefined;
      });
      await running;
      return toPetCounts(totals, clock.now());
    },
  };
};

export type PetStatistics = ReturnType<typeof petStatistics>;
