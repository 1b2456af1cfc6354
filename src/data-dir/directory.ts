import { accessSync, constants, existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const isMissing = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");

/** A path, quoted for a shell if necessary. */
export const quoted = (path: string): string =>
  /^[\w./,:@+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;

export interface Directory {
  uid: number;
  mode: number;
}

/**
 * Why a directory is refused as DATA_DIR, and the command that fixes it; undefined if it is fine. A user who can write
 * there can replace the database and the keys.
 * @param user the effective user id of this process; undefined where there is none, as on Windows
 */
export const faultOf = (
  path: string,
  { uid, mode }: Directory,
  user: number | undefined,
): string | undefined => {
  if (user === undefined) return undefined;
  // Root may work on the directory of a service: what it creates there it gives to the owner.
  if (user !== 0 && uid !== user)
    return `it belongs to user ${uid}, and this process runs as user ${user}: run it as that user, or give the directory to this one with: chown -R ${user} ${quoted(path)}`;
  if ((mode & 0o022) !== 0)
    return `others can write to it (mode ${(mode & 0o7777).toString(8)}): chmod 700 ${quoted(path)}`;
  return undefined;
};

/** The same for the directory on disk. A missing directory is fine. */
export const directoryFault = (path: string): string | undefined => {
  try {
    return faultOf(path, statSync(path), process.geteuid?.());
  } catch (error) {
    if (isMissing(error)) return undefined;
    return `it cannot be read (${(error as Error).message}): check the permissions of the directories above it`;
  }
};

/** Why what is at the path of a file of the database cannot be one, and what to do; undefined if it can, or is missing. */
export const kindFault = (path: string): string | undefined => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found || found.isFile()) return undefined;
  if (found.isDirectory()) return `${path} is a directory where a file must be: move it away`;
  return found.isSymbolicLink()
    ? `${path} is a symbolic link: move the file that it leads to here, or name the directory of that file with --data-dir`
    : `${path} is not an ordinary file: move it away`;
};

/** Why this process cannot use a file of DATA_DIR, and the command that fixes it; undefined if it can, or the file is missing. */
export const fileFault = (path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return `${path} is a directory where a file must be: move it away`;
  if (found?.isFile() === false) return `${path} is not an ordinary file: move it away`;
  const uid = found?.uid;
  const user = process.geteuid?.();
  if (uid === undefined || user === undefined) return undefined;
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The disk has failed: it is not a matter of permissions.
    if (code === "EIO") return undefined;
    if (code === "EROFS") return `${basename(path)} is on a read-only file system: make it writable`;
    const fix =
      uid === user
        ? `make it writable with: chmod 600 ${quoted(path)}`
        : `give it to the user that runs this with: chown -R ${user} ${quoted(dirname(path))}`;
    return `${basename(path)} belongs to user ${uid} and cannot be written by user ${user} (${code}): ${fix}`;
  }
};

/** Files that only a store in use leaves. */
const TRACE = /^(admin\.key|server\.json|blobs|uploads|adoption-store\.db\.before-.+)$/;
/** SQLite deletes the log of a database that is missing or empty, and with it what was committed there. */
const LOG = "adoption-store.db-wal";

const isEmpty = (path: string): boolean => {
  const found = lstatSync(path);
  return found.isDirectory() ? readdirSync(path).length === 0 : found.size === 0;
};

/**
 * The names of files that show that a store was in use here.
 * @param log true if the log counts, because the database is missing or empty
 */
export const tracesIn = (dataDir: string, { log }: { log: boolean }): string[] =>
  existsSync(dataDir)
    ? readdirSync(dataDir)
        .filter((name) => TRACE.test(name) || (log && name === LOG))
        .filter((name) => !isEmpty(join(dataDir, name)))
        .toSorted()
    : [];
