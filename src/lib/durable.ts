import { closeSync, fsync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { promisify } from "node:util";
import { withFile } from "./files.ts";
import { inheritOwner } from "./ownership.ts";

const syncFile = promisify(fsync);

/** Makes the content of a file, or the names in a directory, durable. @throws the system's error */
export const syncPath = async (path: string): Promise<void> => {
  const handle = openSync(path, "r");
  try {
    await syncFile(handle);
  } finally {
    closeSync(handle);
  }
};

/** The directory cannot be read, or its file system does not sync directories. PostgreSQL's fsync_fname ignores these too. */
const UNSYNCABLE: ReadonlySet<string> = new Set(["EACCES", "EINVAL", "EBADF", "ENOTSUP"]);

/** Makes the names in a directory durable, as far as its file system can. @throws the system's error, such as EIO */
export const syncDirectory = (path: string): void => {
  try {
    withFile(path, "r", fsyncSync);
  } catch (error) {
    if (!UNSYNCABLE.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
};

/** Creates a directory and its parents, for this user only. Their names are durable when this returns. */
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
 * Renames a complete temporary file over another. After a power cut the path holds either the old file or the new one, never a
 * part of it; once this has resolved, the new one.
 */
export const replaceFile = async (temporary: string, path: string): Promise<void> => {
  await syncPath(temporary);
  renameSync(temporary, path);
  syncDirectory(dirname(path));
};

/** Writes or replaces a file by way of a temporary one. It is never half written, and durable once this resolves. */
export const replaceDurably = async (
  path: string,
  temporary: string,
  write: (temporary: string) => Promise<void>,
): Promise<void> => {
  // A killed writer may have left a file, or an attacker may have placed a link: remove it, do not follow it.
  rmSync(temporary, { force: true });
  try {
    await write(temporary);
    inheritOwner(temporary);
    await replaceFile(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
};

/** `replaceDurably` with a text that only this user may read. */
export const writeDurably = (path: string, text: string): Promise<void> =>
  replaceDurably(path, `${path}.new`, (temporary) => writeFile(temporary, text, { flag: "wx", mode: 0o600 }));
