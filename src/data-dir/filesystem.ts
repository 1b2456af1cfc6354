import { closeSync, existsSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { explainFailure } from "../db/explain-failure.ts";
import { isFull } from "../lib/storage-errors.ts";
import { freeBytes, fullDiskAdvice, hasNoInodes } from "./free-space.ts";

/** One sentence for the operator about a storage failure: what failed, and what to do. @param directory where it failed */
export const explainStorage = (error: unknown, directory: string): string | undefined =>
  isFull(error) ? fullDiskAdvice(directory) : explainFailure(error);

/**
 * The system's error if it cannot open one of these files or create a missing one; undefined if it can, or if only a
 * permission is missing. SQLite itself only says that it cannot open a file. Do not use it for files that this process has
 * locked: closing a file drops its locks.
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
