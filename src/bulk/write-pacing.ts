/** How long one transaction is to hold the lock, and how long others have it for themselves before the next. */
const HOLD_MS = 40;
/** Longer than the server waits before it asks for the lock again (RETRY_MS of db/commit.ts). */
const PAUSE_MS = 12;
const FEWEST = 100;
const MOST = 10_000;

/** Divides writing into turns that let others write in between. */
export interface WritePacing {
  /** How many rows the next turn is to have. */
  batchSize(): number;
  /** Waits until others have had theirs, then writes. */
  write(batchSize: number, write: () => Promise<void>): Promise<void>;
}

export const writePacing = (): WritePacing => {
  let rows = 500;
  /** How long the lock was held since others had it for long enough, and since when it is free. */
  let held = 0;
  let free = performance.now();
  return {
    batchSize: () => rows,
    async write(count, write) {
      const left = free + PAUSE_MS - performance.now();
      if (left <= 0) held = 0;
      else if (held >= HOLD_MS) {
        await Bun.sleep(left);
        held = 0;
      }
      const start = performance.now();
      await write();
      free = performance.now();
      held += free - start;
      const scaled = (count * HOLD_MS) / Math.max(1, free - start);
      // Halfway: one turn that waited for a lock says little of the next.
      rows = Math.round(Math.min(MOST, Math.max(FEWEST, (rows + scaled) / 2)));
    },
  };
};
