import type { Database as Client } from "bun:sqlite";
import { isBusy } from "../lib/storage-errors.ts";

/** How long to try while another process writes, reads or copies the log, in milliseconds. */
const PATIENCE_MS = 60_000;
const RETRY_MS = 50;

/** Does something as soon as no other process is in its way. @throws if one is for too long */
const retryWhileInUse = async (act: () => boolean): Promise<void> => {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await Bun.sleep(RETRY_MS)) {
    try {
      if (act()) return;
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
  }
  throw new Error("the database is in use: its files may still hold what was erased; run this again");
};

/**
 * Writes the database anew without whatever was deleted or overwritten, and empties the log: no byte of it is left in the
 * files. Beside a server too, whose writes wait meanwhile. @throws if another process kept it busy
 */
export const vacuum = async (client: Client): Promise<void> => {
  await retryWhileInUse(() => {
    client.run("VACUUM");
    return true;
  });
  // SQLite itself does not wait for another process's checkpoint (https://sqlite.org/c3ref/wal_checkpoint_v2.html).
  await retryWhileInUse(
    () => client.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0,
  );
};
