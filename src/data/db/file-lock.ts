import { existsSync, statSync, writeFileSync } from "node:fs";
import { Database as Client } from "bun:sqlite";
import { createEmpty } from "../../lib/ownership.ts";
import { isBusy } from "../../lib/storage-errors.ts";

/** The operating system's lock on a file, through SQLite. It ends with the process, even by a crash. */
export interface Lock {
  release(): void;
}

export interface FileLock extends Lock {
  /** True if the file was missing. */
  readonly isNew: boolean;
  /** False if the file was deleted or replaced: the lock then does not exclude later processes. */
  isInPlace(): boolean;
}

const WAIT_MS = 100;

/**
 * SQLite silently opens a file that it cannot write as read-only, and then locks nothing: two processes would hold the lock
 * simultaneously. A write that is rolled back shows that this process can write.
 */
const EXCLUSIVE = [
  // The disk may be full: this takes no room on it.
  "PRAGMA journal_mode=MEMORY",
  "BEGIN EXCLUSIVE",
  "SAVEPOINT probe",
  "PRAGMA user_version=1",
  "ROLLBACK TO probe",
];

/** Undefined if the file is missing. */
const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;

/**
 * Takes the lock of this file, and creates the file if it is missing. Waits `waitMs` for processes that only check the lock.
 * @returns undefined if another process holds the lock
 * @throws SQLITE_READONLY if this process cannot write the file: its lock would not exclude others
 */
export const takeLock = (path: string, waitMs = WAIT_MS): FileLock | undefined => {
  const isNew = createEmpty(path);
  const client = new Client(path, { readwrite: true });
  try {
    client.run(`PRAGMA busy_timeout=${waitMs}`);
    for (const statement of EXCLUSIVE) client.run(statement);
    const inode = inodeOf(path);
    return { isNew, isInPlace: () => inodeOf(path) === inode, release: () => client.close() };
  } catch (error) {
    client.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
};

/** True if a process holds the lock of this file, which is neither created nor written. @throws if it cannot be read */
export const isLocked = (path: string): boolean => {
  if (!existsSync(path)) return false;
  using client = new Client(path, { readonly: true });
  try {
    client.query("SELECT 1 FROM sqlite_schema").get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  }
};

/** How long to wait for a process that checks the lock. */
const CHECK_MS = 1000;

/** Creates this file, which must not exist, and takes a shared lock, which keeps other processes from taking the lock. */
export const shareLock = (path: string): Lock => {
  writeFileSync(path, "", { flag: "wx", mode: 0o600 });
  const client = new Client(path, { readonly: true });
  client.run(`PRAGMA busy_timeout=${CHECK_MS}`);
  client.run("BEGIN");
  client.run("SELECT 1 FROM sqlite_schema");
  return { release: () => client.close() };
};

/** True if no process holds the lock of this file or a share of it; false if that is unknown. */
export const isUnlocked = (path: string): boolean => {
  try {
    const lock = takeLock(path);
    lock?.release();
    return lock !== undefined;
  } catch {
    return false;
  }
};
