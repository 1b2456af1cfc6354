import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Database as Client, constants } from "bun:sqlite";
import { fileSize } from "../../lib/files.ts";
import type { Database } from "./open.ts";
import { replicaMark } from "./replica-mark.ts";

/**
 * How SQLite reads a database and its log without changing a file (https://sqlite.org/wal.html#readonly). Without a log, the
 * file is the whole database. With a log and its index, SQLite shares the index with a running server. With a log alone, no
 * process has the database open, and SQLite keeps the index in memory and takes no locks.
 */
const readOnlyOptions = (path: string): { query: string; pragma?: string } => {
  if (!existsSync(`${path}-wal`)) return { query: "mode=ro&immutable=1" };
  if (existsSync(`${path}-shm`)) return { query: "mode=ro&readonly_shm=1" };
  return { query: "mode=ro&vfs=unix-none", pragma: "PRAGMA locking_mode=EXCLUSIVE" };
};

const BUSY_MS = 5000;

/** Opens a database for reading: no file is created, recovered or checkpointed. */
export const openForReading = (path: string): Client => {
  const { query, pragma } = readOnlyOptions(path);
  const client = new Client(
    `${pathToFileURL(path).href}?${query}`,
    constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI,
  );
  client.run(`PRAGMA busy_timeout=${BUSY_MS}`);
  client.run("PRAGMA trusted_schema=OFF");
  // Without locks, closing takes an empty log for one that no process has open, and would delete that of a starting server.
  client.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 1);
  if (pragma !== undefined) client.run(pragma);
  return client;
};

/** True if a file is the copy of a node; false if it is missing or cannot be read. Changes no file. */
export const isReplicaFile = (path: string): boolean => {
  // SQLite deletes the log of a database that has no bytes.
  if (fileSize(path) === 0) return false;
  try {
    using client = openForReading(path);
    return replicaMark(client) !== undefined;
  } catch {
    return false;
  }
};

/** Gives repositories a database that `openForReading` opened. Writes fail. */
export const readingOf = (client: Client): Pick<Database, "client" | "commit"> => ({
  client,
  commit: () => Promise.reject(new Error("the database was opened for reading only")),
});
