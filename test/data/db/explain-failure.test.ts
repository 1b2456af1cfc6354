import { expect, test } from "bun:test";
import { explainCode, explainFailure } from "../../../src/data/db/failures.ts";
import { isStorageFailure } from "../../../src/lib/storage-errors.ts";

/** https://sqlite.org/rescode.html, as of SQLite 3.51. */
const IOERR =
  "READ SHORT_READ WRITE FSYNC DIR_FSYNC TRUNCATE FSTAT UNLOCK RDLOCK DELETE BLOCKED NOMEM ACCESS CHECKRESERVEDLOCK LOCK CLOSE DIR_CLOSE SHMOPEN SHMSIZE SHMLOCK SHMMAP SEEK DELETE_NOENT MMAP GETTEMPPATH CONVPATH VNODE AUTH BEGIN_ATOMIC COMMIT_ATOMIC ROLLBACK_ATOMIC DATA CORRUPTFS IN_PAGE";
const CODES = [
  "SQLITE_IOERR",
  ...IOERR.split(" ").map((end) => `SQLITE_IOERR_${end}`),
  ..."CORRUPT CORRUPT_VTAB CORRUPT_SEQUENCE CORRUPT_INDEX NOTADB FULL NOMEM PERM PROTOCOL".split(" "),
  ..."READONLY READONLY_RECOVERY READONLY_CANTLOCK READONLY_ROLLBACK READONLY_DBMOVED".split(" "),
  ..."READONLY_CANTINIT READONLY_DIRECTORY BUSY BUSY_RECOVERY BUSY_SNAPSHOT BUSY_TIMEOUT LOCKED".split(" "),
  ..."CANTOPEN CANTOPEN_NOTEMPDIR CANTOPEN_ISDIR CANTOPEN_FULLPATH CANTOPEN_CONVPATH".split(" "),
  ..."ENOSPC EDQUOT EROFS EIO".split(" "),
].map((code) => (/^(SQLITE_|E[A-Z]+$)/.test(code) ? code : `SQLITE_${code}`));

test.each(CODES)("%s is explained in one line that says what happened, then what to do", (code) => {
  const failure = Object.assign(new Error("refused"), { code });
  expect(isStorageFailure(failure)).toBe(true);
  expect(explainFailure(failure)).toMatch(/^[a-z][^\n]+: [^\n]+[^.\n]$/);
  // Doctor prints it too.
  expect(explainFailure(failure)).not.toContain("adoption-store doctor");
});

test("an input/output error is not explained as damage", () => {
  for (const code of ["SQLITE_IOERR_READ", "SQLITE_IOERR_CORRUPTFS", "SQLITE_IOERR_FSYNC", "EIO"]) {
    expect(explainCode(code)).toContain("input/output error");
    expect(explainCode(code)).toContain("may pass");
    expect(explainCode(code)).toContain("look at the system's log");
    expect(explainCode(code)).not.toContain("damaged");
  }
});

test("errors that are not of the storage, and missing permissions, are not explained", () => {
  for (const code of ["", "SQLITE_CONSTRAINT_UNIQUE", "SQLITE_ERROR", "EADDRINUSE", "EACCES", "EPERM"])
    expect(explainCode(code)).toBeUndefined();
});
