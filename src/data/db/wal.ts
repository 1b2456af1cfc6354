import type { Database as Client } from "bun:sqlite";
import { fileSize } from "../../lib/files.ts";
import { MAX_LOG_BYTES } from "./pragmas.ts";
import { openSqlWorker } from "./sql-worker.ts";

export const logSize = (path: string): number => fileSize(`${path}-wal`);

/** The log grows this large only if it cannot be copied: a process reads for too long, or the disk refuses writes. */
const LARGE_LOG_BYTES = 4 * MAX_LOG_BYTES;

/** A warning of /readyz about a log that grows. */
export const logWarnings = (path: string): { code: string; count: number; message: string }[] => {
  const size = logSize(path);
  if (size < LARGE_LOG_BYTES) return [];
  const message = `The log of the database has grown to ${Math.round(size / 1e6)} MB: a process has been reading the database for too long (end it), or the disk refuses writes to ${path} (see the server's log).`;
  return [{ code: "database_log_large", count: 1, message }];
};

/**
 * Copies a large log into its database, in a worker, and then truncates it. Frames that a reader still needs stay until a
 * later call, and so does a log into which this connection writes.
 */
export const shrinkLog = async (client: Client): Promise<void> => {
  const path = client.filename;
  if (logSize(path) <= MAX_LOG_BYTES) return;
  {
    await using remote = await openSqlWorker(path);
    await remote.all("PRAGMA wal_checkpoint(PASSIVE)");
  }
  // SQLite refuses it inside a transaction, such as that of a write which waits for the engine of a cluster.
  if (client.inTransaction) return;
  // Little is left to copy, so this is quick. It does nothing while another process writes.
  client.query("PRAGMA wal_checkpoint(TRUNCATE)").get();
};
