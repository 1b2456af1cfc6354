import { type Database as Client, constants } from "bun:sqlite";
import { constants as system } from "node:os";
import { isBusy, resultCode } from "../../lib/storage-errors.ts";

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

/** Distinguishes a failing disk from a damaged file, for which SQLite has the same code. Only for short-lived connections. */
export const asDiskError = (client: Client, error: unknown): unknown => {
  const isOfSqlite = resultCode(error).startsWith("SQLITE_") && !isBusy(error);
  return isOfSqlite && hasFailedToRead(client) ? new DiskError(error) : error;
};

const SYSTEM_LOG = "look at the system's log (dmesg)";
const RESTORE = "restore a backup with adoption-store restore FILE";

/** The remedies of a damaged database, in the order to try. */
export const DAMAGE_REMEDY = `stop the server and run adoption-store doctor --repair; if it reports damaged rows, adoption-store recover NEW_DIR saves the others, or ${RESTORE}`;

/**
 * The meaning of a storage failure, then its remedy. The first matching row applies. The codes are SQLite's
 * (https://sqlite.org/rescode.html) and the operating system's.
 */
const EXPLANATIONS: readonly (readonly [code: RegExp, text: string])[] = [
  [/^(SQLITE_FULL|ENOSPC)$/, "its file system is full: make room there"],
  [/^EDQUOT$/, "the disk quota of this user is used up: make room there, or raise the quota"],
  [
    /^SQLITE_CORRUPT/,
    `the database is damaged, or its disk cannot be read: ${SYSTEM_LOG}; if the disk is in order, ${DAMAGE_REMEDY}`,
  ],
  [/^SQLITE_NOTADB$/, `the file is not a database, or its beginning is damaged: ${DAMAGE_REMEDY}`],
  [/^(SQLITE_NOMEM|SQLITE_IOERR_NOMEM|ENOMEM)$/, "the process is out of memory: give it more"],
  [
    /^SQLITE_IOERR_(LOCK|UNLOCK|RDLOCK|CHECKRESERVEDLOCK|SHMLOCK|BLOCKED)$/,
    "its file system failed to lock a file: keep DATA_DIR on a local disk, not on a network share",
  ],
  [
    /^SQLITE_IOERR_(SHMOPEN|SHMSIZE|SHMMAP|MMAP)$/,
    `the file -shm next to the database cannot be mapped into memory: keep DATA_DIR on a local disk that has room, and ${SYSTEM_LOG}`,
  ],
  [
    /^SQLITE_IOERR_(READ|SHORT_READ|FSTAT|ACCESS|SEEK|DATA|CORRUPTFS|IN_PAGE)$/,
    `the disk reported an input/output error on a read, which may pass: ${SYSTEM_LOG}, then try again; if it stays, ${RESTORE}, to another disk`,
  ],
  [
    /^SQLITE_IOERR_(WRITE|FSYNC|DIR_FSYNC|TRUNCATE|DELETE|DELETE_NOENT|CLOSE|DIR_CLOSE|BEGIN_ATOMIC|COMMIT_ATOMIC|ROLLBACK_ATOMIC)$/,
    `the disk reported an input/output error on a write, which may pass: ${SYSTEM_LOG}, then try again; if it stays, move DATA_DIR to another disk`,
  ],
  [
    /^SQLITE_IOERR_VNODE$/,
    "a file of the database was moved or deleted while it was open: put it back, then try again",
  ],
  [
    /^SQLITE_IOERR_(GETTEMPPATH|CONVPATH)$/,
    "there is no directory for temporary files: set SQLITE_TMPDIR or TMPDIR to one that can be written",
  ],
  [
    /^(SQLITE_IOERR(_\w+)?|EIO|ENXIO)$/,
    `the disk reported an input/output error, which may pass: ${SYSTEM_LOG}, then try again; if it stays, use another disk`,
  ],
  [
    /^SQLITE_READONLY_DBMOVED$/,
    "the database file was moved or deleted while it was open: put it back, then try again",
  ],
  [
    /^(SQLITE_READONLY(_\w+)?|EROFS)$/,
    "the database is read-only: make its file system and the files of the database writable",
  ],
  [
    /^(SQLITE_CANTOPEN(_\w+)?|SQLITE_PERM)$/,
    "a file of the database cannot be opened: check that DATA_DIR is writable and has room",
  ],
  [
    /^SQLITE_(BUSY|LOCKED|PROTOCOL)(_\w+)?$/,
    "another process has locked the database: try again, or end that process",
  ],
  [/^E[MN]FILE$/, "too many files are open: raise the limit (ulimit -n, or LimitNOFILE in the unit)"],
];

/** One sentence for the operator: what failed, and what to do. Undefined if it is not a storage failure. */
export const explainCode = (code: string): string | undefined =>
  EXPLANATIONS.find(([pattern]) => pattern.test(code))?.[1];

export const explainFailure = (error: unknown): string | undefined => explainCode(resultCode(error));
