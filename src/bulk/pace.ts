/** How long one transaction is to hold the lock, and how long others have it for themselves before the next. */
const HOLD_MS = 20;
/** Longer than the server waits before it asks for the lock again (RETRY_MS of db/commit.ts). */
const PAUSE_MS = 12;
const FEWEST = 100;
const MOST = 5000;

/** Divides work into turns that let others write in between. */
export interface Turns {
  /** How many rows the next turn is to have. */
  rows(): number;
  turn(rows: number, work: () => Promise<void>): Promise<void>;
}

export const turns = (): Turns => {
  let rows = 500;
  let free = Number.NEGATIVE_INFINITY;
  return {
    rows: () => rows,
    async turn(count, work) {
      const wait = free + PAUSE_MS - performance.now();
      if (wait > 0) await Bun.sleep(wait);
      const start = performance.now();
      await work();
      free = performance.now();
      const scaled = (count * HOLD_MS) / Math.max(1, free - start);
      // Halfway: one turn that waited for a lock says little of the next.
      rows = Math.round(Math.min(MOST, Math.max(FEWEST, (rows + scaled) / 2)));
    },
  };
};
