import { setImmediate as turn } from "node:timers/promises";
import { type Clock, formatTime } from "../lib/time.ts";
import type { Pets, DayCounts } from "./repository.ts";

/** Days that the statistics go back, today included. */
export const DAYS = 30;
const DAY_MS = 86_400_000;

/** Animals counted at once: some milliseconds, between which other requests have their turn. */
const SLICE = 10_000;

/** How old a count may be of what is not simply an animal more. */
const RECOUNT_MS = 10_000;

export interface PetCounts {
  total: number;
  byStatus: { available: number; pending: number; sold: number; none: number };
  /** The last `DAYS` days in UTC, oldest first. */
  addedByDay: { date: string; count: number }[];
}

export interface PetStatistics {
  /** Whatever was added counts at once; all else is at most ten seconds old. */
  read(): Promise<PetCounts>;
}

/** Animals up to the id `last`, counted. */
interface Counted {
  last: number;
  total: number;
  available: number;
  pending: number;
  sold: number;
  /** By the days since 1970. */
  byDay: Map<number, number>;
}

const nothing = (): Counted => ({
  last: 0,
  total: 0,
  available: 0,
  pending: 0,
  sold: 0,
  byDay: new Map(),
});

const add = (counted: Counted, { day, total, available, pending, sold, last }: DayCounts): void => {
  counted.total += total;
  counted.available += available;
  counted.pending += pending;
  counted.sold += sold;
  counted.last = Math.max(counted.last, last);
  counted.byDay.set(day, (counted.byDay.get(day) ?? 0) + total);
};

/** @param now milliseconds UTC */
const countsOf = ({ total, available, pending, sold, byDay }: Counted, now: number): PetCounts => {
  const oldest = Math.floor(now / DAY_MS) - DAYS + 1;
  return {
    total,
    byStatus: { available, pending, sold, none: total - available - pending - sold },
    addedByDay: Array.from({ length: DAYS }, (_, at) => ({
      date: formatTime((oldest + at) * DAY_MS).slice(0, 10),
      count: byDay.get(oldest + at) ?? 0,
    })),
  };
};

/**
 * Counts animals in slices, once for all who ask at the same time. Ids only grow, so that a count carries on behind the last
 * id it saw. What changes animals that were counted, a new status or a deletion, is seen by counting anew, at most every ten
 * seconds and only if `version` says that anything was written.
 */
export const petStatistics = ({
  countByDay,
  version,
  clock,
}: {
  countByDay: Pets["countByDay"];
  version: () => number;
  clock: Clock;
}): PetStatistics => {
  let counted = nothing();
  let countedAt = Number.NEGATIVE_INFINITY;
  let countedVersion = -1;
  let running: Promise<void> | undefined;

  const carryOn = async (counting: Counted): Promise<void> => {
    for (;;) {
      const before = counting.total;
      for (const one of await countByDay({ after: counting.last, limit: SLICE })) add(counting, one);
      if (counting.total - before < SLICE) return;
      await turn();
    }
  };

  const count = async (): Promise<void> => {
    // Asked before the rows are read: what is written meanwhile is counted anew the next time.
    const [now, current] = [clock.now(), version()];
    const isOld = current !== countedVersion && Math.abs(now - countedAt) >= RECOUNT_MS;
    if (!isOld) return carryOn(counted);
    const anew = nothing();
    await carryOn(anew);
    [counted, countedAt, countedVersion] = [anew, now, current];
  };

  return {
    async read() {
      running ??= count().finally(() => {
        running = undefined;
      });
      await running;
      return countsOf(counted, clock.now());
    },
  };
};
