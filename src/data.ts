import { chmodSync, existsSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "./config/config.ts";
import { takeLock } from "./db/lock.ts";
import { MigrationRefused } from "./db/migrate.ts";
import { type Database, openDatabase } from "./db/open.ts";
import { makeDirectories } from "./durable.ts";

/** The service cannot start; the message says what to do. */
export class StartRefused extends Error {
  override name = "StartRefused";
}

export const databasePath = (dataDir: string): string => join(dataDir, "adoption-store.db");
/** What a restore writes, until it takes the database's place. */
export const restoringPath = (dataDir: string): string => `${databasePath(dataDir)}.restoring`;
/** Whoever holds it is the server of DATA_DIR, or restores it. */
export const lockPath = (dataDir: string): string => join(dataDir, "server.lock");
export const adminKeyPath = (dataDir: string): string => join(dataDir, "admin.key");

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Makes DATA_DIR if it is missing. @throws StartRefused */
export const makeDirectory = (dataDir: string) => {
  // Everything that this process creates is for its user alone, SQLite's own files too.
  process.umask(0o077);
  try {
    makeDirectories(dataDir);
  } catch (error) {
    throw new StartRefused(`DATA_DIR ${dataDir}: cannot be created (${reasonOf(error)})`, { cause: error });
  }
};

/**
 * Opens the database of DATA_DIR. `create` makes both if they are missing; `migrate` brings a database up to date, which only
 * the server may do that owns it: an older one may be running.
 * @throws StartRefused
 */
export const openData = (
  config: Config,
  { create, migrate = false }: { create: boolean; migrate?: boolean },
): Database => {
  const path = databasePath(config.dataDir);
  if (create) makeDirectory(config.dataDir);
  else if (!existsSync(path))
    throw new StartRefused(
      `DATA_DIR ${config.dataDir}: there is no database; check --data-dir, or start with serve`,
    );
  try {
    const migrating = migrate ? "always" : create ? "new" : "never";
    const database = openDatabase(path, { groupSize: config.commitGroupSize, migrating });
    chmodSync(path, 0o600);
    return database;
  } catch (error) {
    if (error instanceof MigrationRefused)
      throw new StartRefused(`DATA_DIR ${config.dataDir}: ${error.message}`, { cause: error });
    throw new StartRefused(
      `DATA_DIR ${config.dataDir}: the database cannot be opened (${reasonOf(error)}); check that the directory is writable and has room, or restore a backup`,
      { cause: error },
    );
  }
};

/** Removes what a restore that was killed has left; for whoever holds the lock. */
export const removeRestoring = (dataDir: string): void => {
  for (const end of ["", "-journal", ".raw", ".raw-journal"])
    rmSync(restoringPath(dataDir) + end, { force: true });
};

/** True while a backup is being restored: a database that is opened meanwhile would leave its log beside the restored one. */
export const isBeingRestored = (dataDir: string): boolean => {
  if (!existsSync(restoringPath(dataDir))) return false;
  const lock = takeLock(lockPath(dataDir));
  // One that was killed has left its file.
  lock?.release();
  return lock === undefined;
};

/** @throws if DATA_DIR has less room than `reserve`, in bytes */
export const assertRoom = (directory: string, reserve: number) => {
  const { bavail, bsize } = statfsSync(directory);
  const free = bavail * bsize;
  if (free < reserve)
    throw new Error(
      `${Math.floor(free / 2 ** 20)} MiB free in DATA_DIR, below DISK_RESERVE of ${Math.floor(reserve / 2 ** 20)} MiB`,
    );
};
