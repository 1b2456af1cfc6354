import { chmodSync, existsSync, rmSync, statfsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Config } from "../config/config.ts";
import { isForbidden } from "../lib/storage-errors.ts";
import { isLocked } from "../db/lock.ts";
import { MigrationRefused } from "../db/migrate.ts";
import { type Database, openDatabase } from "../db/open.ts";
import { directoryFault, fileFault, kindFault, tracesIn } from "./directory.ts";
import { makeDirectories } from "../lib/durable.ts";
import { explainStorage, fileSize, systemFault } from "./filesystem.ts";
import { createEmpty } from "../lib/ownership.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { reasonOf } from "../lib/reason.ts";

export const databasePath = (dataDir: string): string => join(dataDir, "adoption-store.db");
/** What a restore writes, until it takes the database's place. */
export const restoringPath = (dataDir: string): string => `${databasePath(dataDir)}.restoring`;
/** Whoever holds it is the server of DATA_DIR, or restores it. */
export const lockPath = (dataDir: string): string => join(dataDir, "server.lock");
export const adminKeyPath = (dataDir: string): string => join(dataDir, "admin.key");

/** Makes DATA_DIR if it is missing. @throws OperatorError */
export const makeDirectory = (dataDir: string) => {
  // Everything that this process creates is for its user alone, SQLite's own files too.
  process.umask(0o077);
  try {
    makeDirectories(dataDir);
  } catch (error) {
    throw new OperatorError(`DATA_DIR ${dataDir}: cannot be created (${reasonOf(error)})`, { cause: error });
  }
};

const LOGS = ["", "-wal", "-shm"];

const firstFault = (paths: string[], faultOf: (path: string) => string | undefined): string | undefined =>
  paths.map(faultOf).find((fault) => fault !== undefined);

/**
 * @throws OperatorError if a file of the database is not an ordinary file: behind a symbolic link SQLite keeps the log
 * elsewhere, and opening a pipe waits forever
 */
export const assertFiles = (dataDir: string): void => {
  let fault: string | undefined;
  try {
    fault = firstFault(
      LOGS.map((end) => databasePath(dataDir) + end),
      kindFault,
    );
  } catch (error) {
    fault = directoryFault(dataDir) ?? reasonOf(error);
  }
  if (fault !== undefined) throw new OperatorError(`DATA_DIR ${dataDir}: ${fault}`);
};

/** @throws OperatorError if another user could replace what is there, or owns it, and as `assertFiles` */
export const assertDirectory = (dataDir: string): void => {
  const fault = directoryFault(dataDir);
  if (fault !== undefined) throw new OperatorError(`DATA_DIR ${dataDir}: ${fault}`);
  assertFiles(dataDir);
};

/**
 * Refuses to begin a new store where one was in use: a new database in place of a lost one would have other keys and backups.
 * @throws OperatorError
 */
export const assertNew = (dataDir: string, state: "missing" | "empty"): void => {
  const traces = tracesIn(dataDir, { log: fileSize(databasePath(dataDir)) === 0 });
  if (traces.length === 0) return;
  throw new OperatorError(
    `DATA_DIR ${dataDir}: the database ${basename(databasePath(dataDir))} is ${state}, but a store was in use here (${traces.join(", ")}): restore a backup with adoption-store restore FILE; or, to begin a new store, move these files away`,
  );
};

/** Makes sure that there is a database file, and creates an empty one if `create`. @throws OperatorError */
export const assertPresent = (dataDir: string, { create }: { create: boolean }): void => {
  const path = databasePath(dataDir);
  if (fileSize(path) > 0) return;
  const isThere = existsSync(path);
  assertNew(dataDir, isThere ? "empty" : "missing");
  if (create) createEmpty(path);
  else if (!isThere)
    throw new OperatorError(
      `DATA_DIR ${dataDir}: there is no database; check --data-dir, or start with serve`,
    );
};

/** What to do about a database that cannot be opened. */
export const openFault = (path: string, error: unknown): string => {
  const files = LOGS.map((end) => path + end);
  const fault = firstFault(files, fileFault);
  return (
    fault ??
    explainStorage(systemFault(files) ?? error, dirname(path)) ??
    `the database cannot be opened (${reasonOf(error)}); check that the directory is writable and has room, or restore a backup`
  );
};

/**
 * Opens the database of DATA_DIR. `create` makes both if they are missing; `migrate` brings a database up to date, which only
 * the server may do that owns it: an older one may be running.
 * @throws OperatorError
 */
export const openData = (
  config: Config,
  { create, migrate = false }: { create: boolean; migrate?: boolean },
): Database => {
  const { dataDir } = config;
  const path = databasePath(dataDir);
  if (create) makeDirectory(dataDir);
  assertDirectory(dataDir);
  assertPresent(dataDir, { create });
  try {
    const migrating = migrate ? "always" : create ? "new" : "never";
    const onUnmade = () => assertNew(dataDir, "empty");
    const database = openDatabase(path, { groupSize: config.commitGroupSize, migrating, onUnmade });
    chmodSync(path, 0o600);
    return database;
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const reason = error instanceof MigrationRefused ? error.message : openFault(path, error);
    throw new OperatorError(`DATA_DIR ${dataDir}: ${reason}`, { cause: error });
  }
};

/** Removes what a restore that was killed has left; for whoever holds the lock. */
export const removeRestoring = (dataDir: string): void => {
  for (const end of ["", "-journal", ".raw", ".raw-journal"])
    rmSync(restoringPath(dataDir) + end, { force: true });
};

/**
 * True while a backup is being restored: a database that is opened meanwhile would leave its log beside the restored one.
 * A restore that was killed left its file, but holds no lock. @throws OperatorError
 */
export const isBeingRestored = (dataDir: string): boolean => {
  if (!existsSync(restoringPath(dataDir))) return false;
  try {
    return isLocked(lockPath(dataDir));
  } catch (error) {
    throw new OperatorError(`DATA_DIR ${dataDir}: ${lockFault(dataDir, error)}`, { cause: error });
  }
};

/** What to do about a lock that cannot be taken because of its file or its disk. */
export const lockFault = (dataDir: string, error: unknown): string => {
  const path = lockPath(dataDir);
  const fault = fileFault(path);
  if (fault !== undefined) return fault;
  if (fileSize(path) > 0) return `${path} is not a lock file of adoption-store: move it away`;
  const failure = systemFault([path]) ?? error;
  const explanation = isForbidden(failure) ? undefined : explainStorage(failure, dataDir);
  return explanation === undefined
    ? `cannot be written (${reasonOf(error)}); make it writable, or choose another with --data-dir`
    : `${explanation}, or choose another with --data-dir`;
};

/** Bytes that are free on the file system of `directory`, for this user. */
export const freeBytes = (directory: string): number => {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
};

/** @throws if DATA_DIR has less room than `reserve`, in bytes */
export const assertRoom = (directory: string, reserve: number) => {
  const free = freeBytes(directory);
  if (free < reserve)
    throw new Error(
      `${Math.floor(free / 2 ** 20)} MiB free in DATA_DIR, below DISK_RESERVE of ${Math.floor(reserve / 2 ** 20)} MiB`,
    );
};
