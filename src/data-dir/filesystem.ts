import { closeSync, existsSync, openSync, statSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { explainFailure } from "../db/explain.ts";
import { isFull } from "../lib/storage-errors.ts";
import { quoted } from "./directory.ts";

/** Bytes of a file; 0 for one that is missing. */
export const fileSize = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** True if the file system can make no more files. Some, such as btrfs, do not count them: they have 0 in all. */
export const hasNoInodes = (directory: string): boolean => {
  const { files, ffree } = statfsSync(directory);
  return files > 0 && ffree === 0;
};

/** Inodes that a command gives back when it fails, before anybody asks why. */
const FEW_INODES = 16;

/** True if a file system that is full lacks inodes, not room. */
const lacksInodes = (directory: string): boolean => {
  const { files, ffree, bavail } = statfsSync(directory);
  return files > 0 && (ffree === 0 || (ffree < FEW_INODES && bavail > 0));
};

/** What to do about a full file system. @param directory a directory on it */
export const fullReason = (directory: string): string =>
  lacksInodes(directory)
    ? `its file system has no inodes left: remove files there (df -i ${quoted(directory)} counts them)`
    : `its file system is full: make room there (df ${quoted(directory)} says how much there is)`;

/** One sentence for the operator about a storage failure: what failed, and what to do. @param directory where it failed */
export const explainStorage = (error: unknown, directory: string): string | undefined =>
  isFull(error) ? fullReason(directory) : explainFailure(error);

/**
 * The system's error if it cannot open one of these files or create a missing one; undefined if it can, or if only a
 * permission is missing. SQLite itself says no more than that it cannot open a file. Not for files that this process has
 * locked: closing a file drops its locks.
 */
export const systemFault = (paths: readonly string[]): unknown => {
  const [directory = "."] = paths.map(dirname);
  const isMissing = paths.some((path) => !existsSync(path));
  // SQLite reports an index that finds no room as an I/O error.
  if (statfsSync(directory).bavail === 0 || (isMissing && hasNoInodes(directory)))
    return Object.assign(new Error("no room is left"), { code: "ENOSPC" });
  for (const path of paths)
    try {
      closeSync(openSync(path, "r+"));
    } catch (error) {
      if (!/^(ENOENT|EACCES|EPERM)$/.test((error as NodeJS.ErrnoException).code ?? "")) return error;
    }
  return undefined;
};
