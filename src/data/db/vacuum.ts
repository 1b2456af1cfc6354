import type { Database as Client } from "bun:sqlite";
import { openSqlWorker } from "./sql-worker.ts";
import { isBusy } from "../../lib/storage-errors.ts";

/** How long to retry while another process writes, reads or copies the log. */
const MAX_WAIT_MS = 60_000;
const RETRY_MS = 50;

/** Retries `act` while another process keeps the database busy. @throws if that lasts too long */
const retryWhileInUse = async (act: () => boolean | Promise<boolean>): Promise<void> => {
  for (const end = performance.now() + MAX_WAIT_MS; performance.now() < end; await Bun.sleep(RETRY_MS)) {
    try {
      if (await act()) return;
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
  }
  throw new Error("the database is in use, and its files may still hold what was erased: run this again");
};

/**
 * Rewrites the database and empties the log, so that no deleted or overwritten byte is left in the files. A running server's
 * writes wait meanwhile. @throws if another process keeps the database busy
 */
export const vacuum = async (client: Client): Promise<void> => {
  // The copy that VACUUM makes does not fit into memory.
  client.run("PRAGMA temp_store=FILE");
  await retryWhileInUse(() => {
    client.run("VACUUM");
    return true;
  });
  // SQLite itself does not wait for another process's checkpoint (https://sqlite.org/c3ref/wal_checkpoint_v2.html).
  await retryWhileInUse(
    () => client.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0,
  );
};

/** `vacuum` of a database in use, in a worker. */
export const vacuumInWorker = async (path: string): Promise<void> => {
  await using worker = await openSqlWorker(path);
  await retryWhileInUse(async () => {
    await worker.run("VACUUM");
    return true;
  });
  await retryWhileInUse(async () => (await worker.all("PRAGMA wal_checkpoint(TRUNCATE)"))[0]?.["busy"] === 0);
};
