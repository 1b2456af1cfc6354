import type { Database as Client } from "bun:sqlite";
import { isStorageFailure } from "../lib/storage-errors.ts";
import type { FileWatch } from "./file-loss.ts";

/**
 * Copies the log into the database file if there is room, and closes it, unless that could damage it. Prepared statements end
 * too, because they would keep the connection and its locks.
 */
export const closeDatabase = async (
  client: Client,
  files: FileWatch,
  close = () => client.close(true),
): Promise<void> => {
  if (!(await files.mayClose())) return;
  try {
    client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    // The log stays beside the database: nothing is lost, and the next start reads it.
    if (!isStorageFailure(error)) throw error;
  } finally {
    close();
  }
};
