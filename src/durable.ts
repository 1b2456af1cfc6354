import { closeSync, fsync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { promisify } from "node:util";
import { inheritOwner } from "./ownership.ts";

const syncFile = promisify(fsync);

/** Makes a file's content, or a directory's names, durable. @throws the system's error */
export const syncPath = async (path: string): Promise<void> => {
  const handle = openSync(path, "r");
  try {
    await syncFile(handle);
  } finally {
    closeSync(handle);
  }
};

/** A directory that cannot be read, or a file system that does not sync directories: PostgreSQL's fsync_fname accepts these too. */
const UNSYNCABLE: ReadonlySet<string> = new Set(["EACCES", "EINVAL", "EBADF", "ENOTSUP"]);

/** Makes the names in a directory durable, as far as its file system can. @throws the system's error, such as EIO */
export const syncDirectory = (path: string): void => {
  let handle: number | undefined;
  try {
    handle = openSync(path, "r");
    fsyncSync(handle);
  } catch (error) {
    if (!UNSYNCABLE.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
};

/** Makes a directory and those above it, for this user alone. When it returns, their names are durable. */
export const makeDirectories = (path: string): void => {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const top = dirname(resolve(first));
  for (let above = dirname(resolve(path)); ; above = dirname(above)) {
    syncDirectory(above);
    if (above === top || above === dirname(above)) return;
  }
};

/**
 * Moves a file that is written into its place, over one that is there. After a power cut there is the one before or this
 * one, whole; when it returns, it is this one.
 */
export const replaceFile = async (temporary: string, path: string): Promise<void> => {
  await syncPath(temporary);
  renameSync(temporary, path);
  syncDirectory(dirname(path));
};

/** Writes a file for this user alone, in place of one that is there; durable when it returns, and never half written. */
export const writeDurably = async (path: string, text: string): Promise<void> => {
  const temporary = `${path}.new`;
  // A killed writer may have left one, and somebody else may have put a link there: it is removed, not followed.
  rmSync(temporary, { force: true });
  await writeFile(temporary, text, { flag: "wx", mode: 0o600 });
  inheritOwner(temporary);
  await replaceFile(temporary, path);
};
