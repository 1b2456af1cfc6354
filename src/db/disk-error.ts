import { type Database as Client, constants } from "bun:sqlite";
import { constants as system } from "node:os";
import { isBusy, resultCode } from "../lib/storage-errors.ts";

/** The disk failed to read. The file itself may be intact. */
export class DiskError extends Error {
  override name = "DiskError";
  /** SQLite's own code for this; SQLite reports SQLITE_CORRUPT instead. */
  readonly code = "SQLITE_IOERR_CORRUPTFS";

  constructor(cause: unknown) {
    super("the disk reported an input/output error", { cause });
  }
}

/** System errors that SQLite reports as SQLITE_CORRUPT: `unixRead` in https://sqlite.org/src/file/src/os_unix.c. */
const REPORTED_AS_DAMAGE: ReadonlySet<number> = new Set([
  system.errno.EIO,
  system.errno.ENXIO,
  system.errno.ERANGE,
]);

/** True if the system failed to read the database file since this connection was opened. */
export const hasFailedToRead = (client: Client): boolean => {
  // Bun requires room for a pointer, and the value is an int.
  const errno = new Int32Array(2);
  client.fileControl(constants.SQLITE_FCNTL_LAST_ERRNO, errno);
  return REPORTED_AS_DAMAGE.has(errno[0] ?? 0);
};

/** Tells a failing disk from a damaged file, for which SQLite has the same code. Only for short-lived connections. */
export const asDiskError = (client: Client, error: unknown): unknown => {
  const isOfSqlite = resultCode(error).startsWith("SQLITE_") && !isBusy(error);
  return isOfSqlite && hasFailedToRead(client) ? new DiskError(error) : error;
};
