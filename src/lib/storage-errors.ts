/** A write or read that the storage itself refused: disk full, read-only, locked out, damaged. Retry later. */
export class StorageUnavailable extends Error {
  override name = "StorageUnavailable";
}

/** The storage failed while it made a write durable: after a crash the write may be there, or not. */
export class OutcomeUnknown extends StorageUnavailable {
  override name = "OutcomeUnknown";
}

/** Another process has held the write lock for too long; nothing was written. */
export class DatabaseLocked extends StorageUnavailable {
  override name = "DatabaseLocked";

  /** @param holder a description of the process; not for clients */
  constructor(
    readonly seconds: number,
    holder: string,
  ) {
    super(`the database has been locked for ${seconds} s by ${holder}`);
  }
}

const STORAGE_CODES =
  /^SQLITE_(FULL|IOERR|READONLY|BUSY|LOCKED|CANTOPEN|PERM|NOMEM|CORRUPT|NOTADB|PROTOCOL)(_|$)|^(ENOSPC|EDQUOT|EROFS|EIO)$/;

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** The result code of SQLite or of the system behind an error, through Drizzle's wrapping; "" if there is none. */
export const resultCode = (error: unknown): string =>
  codeOf(error) || (error instanceof Error && error.cause ? resultCode(error.cause) : "");

/** True if the storage, not the statement, is at fault (https://sqlite.org/rescode.html), or the disk below it. */
export const isStorageFailure = (error: unknown): boolean =>
  error instanceof StorageUnavailable || STORAGE_CODES.test(resultCode(error));

/** True if another connection holds the lock that was asked for. */
export const isBusy = (error: unknown): boolean => resultCode(error).startsWith("SQLITE_BUSY");

/** True if there is no room left, or none for this user. */
export const isFull = (error: unknown): boolean => /^(SQLITE_FULL|ENOSPC|EDQUOT)$/.test(resultCode(error));

/** True if a permission is missing, or the file system is read-only. */
export const isForbidden = (error: unknown): boolean =>
  /^(EACCES|EPERM|EROFS|SQLITE_(CANTOPEN|PERM|READONLY))/.test(resultCode(error));

/** True if the file itself is broken: waiting does not help. */
export const isDamage = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(resultCode(error));

/** True if a read failed. SQLite says SQLITE_CORRUPT of EIO too: the file itself may be whole. */
export const isReadFailure = (error: unknown): boolean =>
  isDamage(error) || /^SQLITE_IOERR_(READ|SHORT_READ|SHMMAP)$/.test(resultCode(error));
