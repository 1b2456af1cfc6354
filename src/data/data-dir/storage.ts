import { closeSync, existsSync, openSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { explainFailure } from "../db/failures.ts";
import { MigrationRefused } from "../db/migrate.ts";
import { type DatabaseUrl, describeDatabaseUrl } from "../../lib/database-url.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { reasonOf } from "../../lib/reason.ts";
import { isFull } from "../../lib/storage-errors.ts";
import { fileFault, firstFault } from "./checks.ts";
import { databaseFiles, databasePath } from "./paths.ts";
import { shellQuoted } from "./shell.ts";

/** The bytes that this user may still write to the file system of `directory`. */
export const freeBytes = (directory: string): number => {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
};

/** @throws if DATA_DIR has fewer free bytes than `reserve` */
export const assertDiskReserve = (directory: string, reserve: number): void => {
  const free = freeBytes(directory);
  if (free < reserve)
    throw new Error(
      `${Math.floor(free / 2 ** 20)} MiB free in DATA_DIR, below DISK_RESERVE of ${Math.floor(reserve / 2 ** 20)} MiB`,
    );
};

/** True if the file system cannot hold another file. Some, such as btrfs, do not count inodes: their total is 0. */
export const hasNoInodes = (directory: string): boolean => {
  const { files, ffree } = statfsSync(directory);
  return files > 0 && ffree === 0;
};

/** A failed command removes its files before it looks for the cause, which frees some inodes. */
const MIN_FREE_INODES = 16;

/** True if a full file system lacks inodes, not room. */
const lacksInodes = (directory: string): boolean => {
  const { files, ffree, bavail } = statfsSync(directory);
  return files > 0 && (ffree === 0 || (ffree < MIN_FREE_INODES && bavail > 0));
};

/** What to do about a full file system. @param directory a directory on it */
export const fullDiskAdvice = (directory: string): string =>
  lacksInodes(directory)
    ? `its file system has no inodes left: remove files there (df -i ${shellQuoted(directory)} counts them)`
    : `its file system is full: make room there (df ${shellQuoted(directory)} shows how much is free)`;

/** One sentence for the operator about a storage failure and its remedy. @param directory in which it failed */
export const explainStorage = (error: unknown, directory: string): string | undefined =>
  isFull(error) ? fullDiskAdvice(directory) : explainFailure(error);

/**
 * The system's error if it cannot open one of these files or create a missing one; undefined if it can, or if only a
 * permission is missing. SQLite itself only reports that it cannot open a file. Do not use it for files that this process
 * has locked: closing a file drops its locks.
 */
export const systemFault = (paths: readonly string[]): unknown => {
  const [directory = "."] = paths.map(dirname);
  const isMissing = paths.some((path) => !existsSync(path));
  // SQLite reports a WAL index without room as an I/O error.
  if (freeBytes(directory) === 0 || (isMissing && hasNoInodes(directory)))
    return Object.assign(new Error("no room is left"), { code: "ENOSPC" });
  for (const path of paths)
    try {
      closeSync(openSync(path, "r+"));
    } catch (error) {
      if (!/^(ENOENT|EACCES|EPERM)$/.test((error as NodeJS.ErrnoException).code ?? "")) return error;
    }
  return undefined;
};

/** Why a database cannot be opened, and what to do. */
export const openFault = (path: string, error: unknown): string => {
  const files = databaseFiles(path);
  return (
    firstFault(files, fileFault) ??
    explainStorage(systemFault(files) ?? error, dirname(path)) ??
    `the database cannot be opened (${reasonOf(error)}): check that the directory is writable and has room, or restore a backup`
  );
};

export const openError = (dataDir: string, error: unknown): OperatorError => {
  const reason = error instanceof MigrationRefused ? error.message : openFault(databasePath(dataDir), error);
  return new OperatorError(`DATA_DIR ${dataDir}: ${reason}`, { cause: error });
};

/** Names the things to check when the engine of the cluster cannot be used, without credentials. */
export const engineError = (databaseUrl: DatabaseUrl, error: unknown): OperatorError =>
  new OperatorError(
    `DATABASE_URL: ${describeDatabaseUrl(databaseUrl)} cannot be used (${reasonOf(error)}): check the address, the credentials and the network, and that most members run; adoption-store cluster status shows details`,
    { cause: error },
  );
