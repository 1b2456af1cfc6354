import { Database as Client, constants } from "bun:sqlite";
import { pathToFileURL } from "node:url";
import { createEmpty } from "../../lib/ownership.ts";
import { openSqlWorker } from "./sql-worker.ts";
import { rowOf } from "./statement.ts";

export type { Client };

const BUSY_MS = 5000;
/** Short, because a process that has the database open while the server is stopped will keep it open for long. */
const SETTLE_BUSY_MS = 500;

/** Opens a database that exists, without migrating it or changing its settings. */
export const openExisting = (path: string, { readonly = false } = {}): Client => {
  // As a URL, because Bun removes white space from the ends of a path.
  const mode = readonly ? constants.SQLITE_OPEN_READONLY : constants.SQLITE_OPEN_READWRITE;
  const client = new Client(pathToFileURL(path).href, mode | constants.SQLITE_OPEN_URI);
  client.run(`PRAGMA busy_timeout=${BUSY_MS}`);
  client.run("PRAGMA trusted_schema=OFF");
  return client;
};

/** Opens a copy that no other process uses. It has no journal: if the work on it fails, the caller deletes the copy. */
export const openCopy = (path: string): Client => {
  const client = openExisting(path);
  client.run("PRAGMA journal_mode=OFF");
  client.run("PRAGMA synchronous=OFF");
  client.run("PRAGMA foreign_keys=ON");
  client.run("PRAGMA secure_delete=ON");
  return client;
};

/** Copies the committed state into a file that must not exist, without free pages. Writers need not wait. */
export const copyInto = (client: Client, path: string): void => void client.run("VACUUM INTO ?", [path]);

/** The approximate size of a copy, in bytes. */
export const sizeOf = (client: Client): number =>
  rowOf(
    client.query<{ bytes: number }, []>(
      "SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
    ),
  ).bytes;

/**
 * Copies a database's log into it and removes the log, so that the file alone is the database.
 * @throws SQLITE_BUSY if another process has it open
 */
export const settleLog = (path: string): void => {
  using client = openExisting(path);
  client.run(`PRAGMA busy_timeout=${SETTLE_BUSY_MS}`);
  // This opens the log, if there is one, and fails if the file is damaged.
  client.query("SELECT count(*) FROM sqlite_schema").get();
  client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  client.run("PRAGMA journal_mode=DELETE");
};

/**
 * Copies the committed state of a database in use into a new file, for this user only, without free pages. It runs in a worker,
 * and writers need not wait.
 */
export const copyAside = async (path: string, copy: string, signal?: AbortSignal): Promise<void> => {
  signal?.throwIfAborted();
  createEmpty(copy);
  await using worker = await openSqlWorker(path, signal);
  await worker.run("VACUUM INTO ?", [copy]);
};
