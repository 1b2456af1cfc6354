import { closeSync, constants, fchownSync, fstatSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { withFile } from "./files.ts";

/** The owner of a directory; undefined if that is root, or if this process is not root. */
const ownerOf = (directory: string) => {
  if (process.geteuid?.() !== 0) return undefined;
  const { uid, gid } = statSync(directory);
  return uid === 0 ? undefined : { uid, gid };
};

/**
 * Files that root creates in DATA_DIR belong to the owner of their directory: the service runs as that user and could not
 * open them otherwise. For any other user these functions change no owner.
 */
type Owner = NonNullable<ReturnType<typeof ownerOf>>;

/** Skips a file with a second hard link: an attacker may have linked one of root's files here. */
const changeOwner = (handle: number, { uid, gid }: Owner): void => {
  const stats = fstatSync(handle);
  if (stats.isDirectory() || (stats.isFile() && stats.nlink === 1)) fchownSync(handle, uid, gid);
};

/**
 * Gives a file or directory that root created to the owner of its directory, or of another one. A symbolic link is not followed. Do not call this
 * for a file that SQLite has open: closing any descriptor of a file drops all locks that the process holds on it.
 */
export const inheritOwner = (path: string, directory = dirname(resolve(path))): void => {
  const owner = ownerOf(directory);
  if (!owner) return;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  withFile(path, flags, (handle) => changeOwner(handle, owner));
};

/** Creates a directory and its parents, owned by the owner of the nearest existing one. */
export const makeOwnedDirectories = (path: string): void => {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const [top, last] = [resolve(first), resolve(path)];
  const names = last.slice(top.length).split(sep).slice(1);
  // From the top: each inherits from the one above it.
  for (let at = 0; at <= names.length; at++) inheritOwner(join(top, ...names.slice(0, at)));
};

/**
 * Creates an empty file, owned by the owner of its directory, unless the name is taken, even by a dangling link.
 * @returns false if it is taken
 */
export const createEmpty = (path: string): boolean => {
  const owner = ownerOf(dirname(resolve(path)));
  try {
    const handle = openSync(path, "wx", 0o600);
    if (owner) changeOwner(handle, owner);
    closeSync(handle);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
};
