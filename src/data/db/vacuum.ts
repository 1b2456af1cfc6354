import { openSqlWorker } from "./sql-worker.ts";
import { isBusy } from "../../lib/storage-errors.ts";

/** How long to retry while another process writes, reads or copies the log. */
const MAX_WAIT_MS = 60_000;
const RETRY_MS = 50;

/** Retries `act` while another process keeps the database busy. @throws if that lasts too long */
const retryWhileInUse = async (act: () => Promise<boolean>): Promise<void> => {
  for (const end = performance.now() + MAX_WAIT_MS; performance.now() < end; await Bun.sleep(RETRY_MS)) {
    try {
      if (await act()) return;
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
  }
  throw new Error("the database is in use, and its files may still contain erased data: run this again");
};

/**
 * Rewrites a database in use and empties its log, so that no deleted or overwritten byte is left in the files. It runs in a
 * worker, and writes wait meanwhile. @throws if another process keeps the database busy
 */
export const vacuum = async (path: string): Promise<void> => {
  await using worker = await openSqlWorker(path);
  await retryWhileInUse(async () => {
    // Its copy may not fit into memory: the worker keeps SQLite's default, a file.
    await worker.run("VACUUM");
    return true;
  });
  // SQLite itself does not wait for another process's checkpoint (https://sqlite.org/c3ref/wal_checkpoint_v2.html).
  await retryWhileInUse(async () => (await worker.all("PRAGMA wal_checkpoint(TRUNCATE)"))[0]?.["busy"] === 0);
};
