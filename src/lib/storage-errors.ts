/** The storage refused a read or a write: full, read-only, locked or damaged. Retry later. */
export class StorageUnavailable extends Error {
  override name = "StorageUnavailable";
}

/** The storage failed while it made a write durable: the write may or may not survive a crash. */
export class OutcomeUnknown extends StorageUnavailable {
  override name = "OutcomeUnknown";
}

/** The engine of the cluster could not be reached in time, and nothing was put into the log. It is logged once, not per request. */
export class EngineUnavailable extends StorageUnavailable {
  override name = "EngineUnavailable";
}

/** The engine of the cluster refuses writes because it is full. Reads continue. */
export class EngineFull extends EngineUnavailable {
  override name = "EngineFull";
}

/** The copy of the store that this node has cannot be brought up to date, so nothing is read from it or written. */
export class ReplicaUnserved extends StorageUnavailable {
  override name = "ReplicaUnserved";
}

/** A write is too large for the log of the cluster. Nothing was put. */
export class RecordTooLarge extends Error {
  override name = "RecordTooLarge";

  constructor(
    readonly bytes: number,
    readonly limit: number,
  ) {
    super(
      `This change takes ${bytes} bytes in the cluster's log, and at most ${limit} are allowed: nothing was written. Make it in smaller parts.`,
    );
  }
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

/** SQLite reports some damage of an index of words as SQLITE_ERROR. */
const DAMAGED_WORDS = /^(invalid fts5 file format|vtable constructor failed)/;

const codeOf = (error: unknown): string => {
  if (!(error instanceof Error && "code" in error && typeof error.code === "string")) return "";
  return DAMAGED_WORDS.test(error.message) ? "SQLITE_CORRUPT_VTAB" : error.code;
};

/** The result code of SQLite or of the system in an error, or in its cause; "" without one. */
export const resultCode = (error: unknown): string =>
  codeOf(error) || (error instanceof Error && error.cause ? resultCode(error.cause) : "");

/** True if the storage or its disk failed, not the statement (https://sqlite.org/rescode.html). */
export const isStorageFailure = (error: unknown): boolean =>
  error instanceof StorageUnavailable || STORAGE_CODES.test(resultCode(error));

/** True if another connection holds the lock. */
export const isBusy = (error: unknown): boolean => resultCode(error).startsWith("SQLITE_BUSY");

/** True if the disk, or this user's quota, is full. */
export const isFull = (error: unknown): boolean => /^(SQLITE_FULL|ENOSPC|EDQUOT)$/.test(resultCode(error));

/** True if a permission is missing, or the file system is read-only. */
export const isForbidden = (error: unknown): boolean =>
  /^(EACCES|EPERM|EROFS|SQLITE_(CANTOPEN|PERM|READONLY))/.test(resultCode(error));

/** True if the file is damaged: waiting does not help. */
export const isDamage = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(resultCode(error));

/** True if the file is damaged, or its schema is not what the program's statements need, as after damage of the schema's page. */
export const isDamageOrSchema = (error: unknown): boolean =>
  isDamage(error) || resultCode(error) === "SQLITE_ERROR";

/** True if a read failed. SQLite reports EIO as SQLITE_CORRUPT too, so the file may be intact. */
export const isReadFailure = (error: unknown): boolean =>
  isDamage(error) || /^SQLITE_IOERR_(READ|SHORT_READ|SHMMAP)$/.test(resultCode(error));
