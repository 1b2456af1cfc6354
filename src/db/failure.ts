/** A write or read that the storage itself refused: disk full, read-only, locked out, damaged. Retry later. */
export class StorageUnavailable extends Error {
  override name = "StorageUnavailable";
}

const STORAGE_CODES =
  /^SQLITE_(FULL|IOERR|READONLY|BUSY|LOCKED|CANTOPEN|PERM|NOMEM|CORRUPT|NOTADB|PROTOCOL)(_|$)/;

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** The SQLite result code behind an error, through Drizzle's wrapping; "" if there is none. */
export const sqliteCode = (error: unknown): string =>
  codeOf(error) || (error instanceof Error && error.cause ? sqliteCode(error.cause) : "");

/** True if the storage, not the statement, is at fault (https://sqlite.org/rescode.html). */
export const isStorageFailure = (error: unknown): boolean =>
  error instanceof StorageUnavailable || STORAGE_CODES.test(sqliteCode(error));

/** True if another connection holds the lock that was asked for. */
export const isBusy = (error: unknown): boolean => sqliteCode(error).startsWith("SQLITE_BUSY");

/** True if the file itself is broken: waiting does not help. */
export const isDamage = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(sqliteCode(error));
