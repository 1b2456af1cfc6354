import { quantity } from "../../lib/quantity.ts";

/** How long a transaction may hold the lock, and how long other writers have it before the next transaction. */
const HOLD_MS = 40;
/** Longer than the server's wait before it tries the lock again (RETRY_MS in db/commit.ts). */
const PAUSE_MS = 12;
const MIN_ROWS = 100;
const MAX_ROWS = 10_000;
/** In a server, whose requests wait for one such transaction: 3 ms, and the sync of the disk. */
const MAX_SHARED_ROWS = 50;
/** In a server: its rows take 3 ms to parse. */
export const SHARED_CHUNK_BYTES = 32 * 1024;

/** Lets requests run that have arrived meanwhile. Each takes several turns of the event loop. */
export const yieldThread = (): Promise<void> => Bun.sleep(1);

/** Paces the transactions of an import, so that other processes can write in between. */
export const writePacing = (sharesThread: boolean, debug: (line: string) => void) => {
  const maxRows = sharesThread ? MAX_SHARED_ROWS : MAX_ROWS;
  let rows = Math.min(500, maxRows);
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
      // Only halfway: one write that waited for the lock predicts little about the next.
      rows = Math.round(Math.min(maxRows, Math.max(MIN_ROWS, (rows + ideal) / 2)));
      debug(
        `writes up to ${rows} rows next: ${quantity(count, "row")} held the lock for ${elapsed.toFixed(1)} ms`,
      );
    },
  };
};
