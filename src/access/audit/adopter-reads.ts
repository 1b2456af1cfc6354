import { type Caller, callerId } from "../../http/authorization.ts";
import type { Act, Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/time.ts";

/** How long an interval of a reader lasts from its first entry on. */
const INTERVAL_MS = 60 * 60_000;
/** Each further entry in an interval has at least this many rows, and at least as many as the entries before it. */
const MIN_FURTHER_ROWS = 100;
/** With more intervals than this, all of them end, so that memory stays bounded. */
const MAX_READERS = 1000;

type Reader = Pick<Caller, "kind" | "id" | "name">;

/** The reads of one reader. */
export interface AdopterReads {
  reader: Reader;
  /** How many adoptions with their adopters, in all responses together. */
  rows: number;
}

interface ReadEntry {
  action: "adopter.read";
  id: "orders";
  changes: readonly [readonly [field: "rows", from: null, to: string]];
}

const entryOf = (rows: number): ReadEntry => ({
  action: "adopter.read",
  id: "orders",
  changes: [["rows", null, String(rows)]],
});

const actorOf = ({ kind, id, name }: Reader): Actor => (kind === "operator" ? { kind } : { kind, id, name });

interface Interval {
  until: number;
  /** How many rows its entries have. */
  rows: number;
}

/**
 * Collects the reads of adopters' data over HTTP. `flush` stores one entry per reader and hour, and a few further ones for a
 * reader of many rows. After a flush, a reader's unstored rows are fewer than the rows of the hour's entries, or fewer than 100.
 */
export const adopterReads = ({
  add,
  clock,
}: {
  add(act: Act, entry: ReadEntry): Promise<void>;
  clock: Clock;
}) => {
  const pending = new Map<string, AdopterReads>();
  /** The intervals of recent readers. */
  const intervals = new Map<string, Interval>();

  const record = ({ kind, id, name }: Reader, rows: number): void => {
    if (rows === 0) return;
    const reader = { kind, id, name };
    const key = callerId(reader);
    pending.set(key, { reader, rows: rows + (pending.get(key)?.rows ?? 0) });
  };

  const endIntervals = (now: number): void => {
    for (const [key, { until }] of intervals) if (until <= now) intervals.delete(key);
    if (intervals.size > MAX_READERS) intervals.clear();
  };

  return {
    record,
    /** Removes and returns the reads that are not stored: a worker hands them to its owner. */
    drain(): AdopterReads[] {
      const reads = [...pending.values()];
      pending.clear();
      return reads;
    },
    /** Stores the reads that are due. If that fails, a later call stores them. @param isLast stores all of them */
    async flush({ isLast = false } = {}): Promise<void> {
      const now = clock.now();
      endIntervals(now);
      for (const [key, { reader, rows }] of pending) {
        const interval = intervals.get(key);
        if (interval && rows < Math.max(interval.rows, MIN_FURTHER_ROWS) && !isLast) continue;
        pending.delete(key);
        try {
          await add({ actor: actorOf(reader), now }, entryOf(rows));
          const { until, rows: stored } = interval ?? { until: now + INTERVAL_MS, rows: 0 };
          intervals.set(key, { until, rows: stored + rows });
        } catch (error) {
          record(reader, rows);
          throw error;
        }
      }
    },
  };
};
