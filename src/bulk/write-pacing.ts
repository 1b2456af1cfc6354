/** How long a transaction may hold the lock, and how long other writers have it before the next transaction. */
const HOLD_MS = 40;
/** Longer than the server's wait before it tries the lock again (RETRY_MS in db/commit.ts). */
const PAUSE_MS = 12;
const MIN_ROWS = 100;
const MAX_ROWS = 10_000;

/** Paces the transactions of an import, so that other processes can write in between. */
export const writePacing = () => {
  let rows = 500;
  /** How long the lock was held since the last sufficient pause. */
  let heldMs = 0;
  let releasedAt = performance.now();
  return {
    /** How many rows the next transaction should write. */
    batchSize: () => rows,
    /** Waits until other writers have had their turn, then calls `writeRows`. */
    async write(count: number, writeRows: () => Promise<void>): Promise<void> {
      const left = releasedAt + PAUSE_MS - performance.now();
      if (left <= 0) heldMs = 0;
      else if (heldMs >= HOLD_MS) {
        await Bun.sleep(left);
        heldMs = 0;
      }
      const start = performance.now();
      await writeRows();
      releasedAt = performance.now();
      const elapsed = releasedAt - start;
      heldMs += elapsed;
      const ideal = (count * HOLD_MS) / Math.max(1, elapsed);
      // Only halfway: one write that waited for the lock says little about the next.
      rows = Math.round(Math.min(MAX_ROWS, Math.max(MIN_ROWS, (rows + ideal) / 2)));
    },
  };
};
