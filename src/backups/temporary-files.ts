import { existsSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { copyFiles } from "../data-dir/paths.ts";
import { type Lock, isUnlocked, shareLock } from "../db/file-lock.ts";
import { LOCK_SUFFIX, writerOf, temporaryName } from "./file-names.ts";
import { OperatorError } from "../lib/operator-error.ts";

const isGone = (pid: number): boolean => {
  // In a container a new process gets the number of one that was killed.
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
};

/**
 * True if a process that has ended has left this lock and its file behind. The process number alone does not tell: in
 * another container it may be the number of a running process.
 */
export const isAbandoned = (lock: string, pid: number): boolean =>
  isGone(pid) && lstatSync(lock, { throwIfNoEntry: false })?.isFile() === true && isUnlocked(lock);

const pathOf = (directory: string, pid: number): string => join(directory, temporaryName(pid));

/** Removes the temporary files of a process from a directory. */
export const removeTemporary = (directory: string, pid: number): void => {
  const path = pathOf(directory, pid);
  for (const file of [...copyFiles(path), path + LOCK_SUFFIX]) rmSync(file, { force: true });
};

/** No process works on a file for this long without writing to it. */
const ABANDONED_MS = 60 * 60_000;

/** Removes what killed processes have left. */
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
 * Prepares a directory for the temporary file of this process: removes what killed processes have left, and takes a lock, so
 * that no other process removes this one's file.
 * @throws OperatorError if this process writes a backup there already
 */
export const claimTemporary = (directory: string, now: number): Lock => {
  const { pid } = process;
  removeAbandoned(directory, now);
  const lock = pathOf(directory, pid) + LOCK_SUFFIX;
  if (existsSync(lock))
    throw new OperatorError(
      `${directory}: another backup is being written there: try again when that has ended`,
    );
  removeTemporary(directory, pid);
  return shareLock(lock);
};
