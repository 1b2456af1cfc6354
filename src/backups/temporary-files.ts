import { existsSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { copyFiles } from "../data-dir/paths.ts";
import { type Lock, isUnlocked, shareLock } from "../db/file-lock.ts";
import { LOCK_SUFFIX, writerOf, temporaryName } from "./file-names.ts";
import { OperatorError } from "../lib/operator-error.ts";

const isGone = (pid: number): boolean => {
  // In a container, a new process may get the id of a killed one.
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
};

/**
 * True if the process that created this lock and its file has ended. The process id alone does not tell: it may belong to
 * another process in another container.
 */
export const isAbandoned = (lock: string, pid: number): boolean =>
  isGone(pid) && lstatSync(lock, { throwIfNoEntry: false })?.isFile() === true && isUnlocked(lock);

const pathOf = (directory: string, pid: number): string => join(directory, temporaryName(pid));

/** Removes the temporary files of a process from a directory. */
export const removeTemporary = (directory: string, pid: number): void => {
  const path = pathOf(directory, pid);
  for (const file of [...copyFiles(path), path + LOCK_SUFFIX]) rmSync(file, { force: true });
};

/** No process goes this long without writing to its file. */
const ABANDONED_MS = 60 * 60_000;

/** Removes the files of killed processes. */
const removeAbandoned = (directory: string, now: number): void => {
  for (const name of readdirSync(directory)) {
    const pid = writerOf(name);
    if (pid === undefined) continue;
    const lock = pathOf(directory, pid) + LOCK_SUFFIX;
    const path = join(directory, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (isAbandoned(lock, pid)) removeTemporary(directory, pid);
    else if (!existsSync(lock) && found?.isFile() && found.mtimeMs < now - ABANDONED_MS)
      rmSync(path, { force: true });
  }
};

/**
 * Prepares a directory for the temporary file of this process: removes the files of killed processes, and takes a lock, so
 * that no other process removes this process's file.
 * @throws OperatorError if this process writes a backup there already
 */
export const claimTemporary = (directory: string, now: number): Lock => {
  const { pid } = process;
  removeAbandoned(directory, now);
  const lock = pathOf(directory, pid) + LOCK_SUFFIX;
  if (existsSync(lock))
    throw new OperatorError(
      `${directory}: another backup is being written there: try again when it has ended`,
    );
  removeTemporary(directory, pid);
  return shareLock(lock);
};
