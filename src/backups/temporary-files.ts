import { existsSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Lock, isUnlocked, shareLock } from "../db/file-lock.ts";
import { LOCK_SUFFIX, writerOf, temporaryName } from "./file-names.ts";
import { OperatorError } from "../lib/operator-error.ts";

const isGone = (pid: number): boolean => {
  // In a container the next process has the number of one that was killed.
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
};

/**
 * True if the process of this number has left this lock behind, and what belongs to it. The number alone would not do: in
 * another container it may be that of a process which runs.
 */
export const isAbandoned = (lock: string, pid: number): boolean =>
  isGone(pid) && lstatSync(lock, { throwIfNoEntry: false })?.isFile() === true && isUnlocked(lock);

const pathOf = (directory: string, pid: number): string => join(directory, temporaryName(pid));

/** Removes what a process has begun in a directory. */
export const removeTemporary = (directory: string, pid: number): void => {
  for (const end of ["", "-journal", ".raw", ".raw-journal", LOCK_SUFFIX])
    rmSync(pathOf(directory, pid) + end, { force: true });
};

/** Nobody works on one file for so long without writing to it. */
const ABANDONED_MS = 60 * 60_000;

/** Removes what was left by those that were killed. */
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
 * Makes room for what this process begins in a directory: what was left there goes, and what this one writes is not taken
 * for that until it is released.
 * @throws OperatorError
 */
export const claimTemporary = (directory: string, now: number): Lock => {
  const { pid } = process;
  removeAbandoned(directory, now);
  const lock = pathOf(directory, pid) + LOCK_SUFFIX;
  if (existsSync(lock))
    throw new OperatorError(
      `${directory}: another backup is being written there; try again when it has ended`,
    );
  removeTemporary(directory, pid);
  return shareLock(lock);
};
