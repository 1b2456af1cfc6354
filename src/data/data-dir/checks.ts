import { type Stats, accessSync, constants, existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { makeDirectories } from "../../lib/durable.ts";
import { fileSize } from "../../lib/files.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { createEmpty } from "../../lib/ownership.ts";
import { reasonOf } from "../../lib/reason.ts";
import { databaseFiles, databasePath, recoveringPath, repairingPath } from "./paths.ts";
import { shellQuoted, sudoCommand } from "./shell.ts";

const isMissing = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");

/**
 * Why a directory is refused as DATA_DIR, and what to do; undefined if it is fine. A user who can write there can
 * replace the database and the keys.
 * @param user the effective user id of this process; undefined on systems without one, such as Windows
 */
export const ownershipFault = (
  path: string,
  { uid, mode }: Pick<Stats, "uid" | "mode">,
  user: number | undefined,
): string | undefined => {
  if (user === undefined) return undefined;
  // Root may work on a service's directory: the files that root creates there belong to the directory's owner.
  if (user !== 0 && uid !== user)
    return `it belongs to user ${uid}, and this process runs as user ${user}. Run: ${sudoCommand(uid, path)}`;
  if ((mode & 0o1000) !== 0)
    return "other users share it (its sticky bit is set): name a separate directory with --data-dir";
  if ((mode & 0o022) !== 0)
    return `others can write to it (mode ${(mode & 0o7777).toString(8)}): chmod 700 ${shellQuoted(path)}`;
  return undefined;
};

/** The remedy for a directory that its owner cannot write to. @param code that of access(2) */
export const accessAdvice = (path: string, code = ""): string => {
  const advice: Readonly<Record<string, string>> = {
    EACCES: `Make it writable: chmod 700 ${shellQuoted(path)}`,
    EROFS: "Its file system is read-only. Mount it for writing, or name another directory with --data-dir",
    EPERM: `It is immutable. Run: sudo chattr -i ${shellQuoted(path)}`,
  };
  return advice[code] ?? "Look for disk errors: sudo dmesg";
};

/** `ownershipFault` of the directory on disk. A missing directory is fine. */
export const directoryFault = (path: string): string | undefined => {
  try {
    const found = statSync(path);
    if (!found.isDirectory()) return "it is a file, not a directory: name another with --data-dir";
    if (resolve(path) === "/") return "it is the root directory: name a separate directory with --data-dir";
    return ownershipFault(path, found, process.geteuid?.());
  } catch (error) {
    if (isMissing(error)) return undefined;
    return `it cannot be read (${reasonOf(error)}): check the permissions of the directories above it`;
  }
};

const kindFaultOf = (path: string, found: Stats | undefined): string | undefined => {
  if (!found || found.isFile()) return undefined;
  if (found.isDirectory()) return `${path} is a directory where a file must be: move it away`;
  return found.isSymbolicLink()
    ? `${path} is a symbolic link: move its target here, or name the target's directory with --data-dir`
    : `${path} is not an ordinary file: move it away`;
};

/** Why the file at this path cannot belong to the database, and what to do; undefined if it can, or is missing. */
const kindFault = (path: string): string | undefined =>
  kindFaultOf(path, lstatSync(path, { throwIfNoEntry: false }));

/** How a user can write a file. A file in the user's own directory is a stray one; any other belongs to another user's store. */
const fixOf = (path: string, owner: number, user: number): string => {
  if (owner === user) return `Make it writable: chmod 600 ${shellQuoted(path)}`;
  return statSync(dirname(path)).uid === user
    ? `Give it to the owner of its directory: sudo chown ${user} ${shellQuoted(path)}`
    : `Run: ${sudoCommand(owner, dirname(path))}`;
};

/** Why this process cannot use a file of DATA_DIR, and the fix; undefined if it can, or if the file is missing. */
export const fileFault = (path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false });
  const user = process.geteuid?.();
  if (!found?.isFile() || user === undefined) return kindFaultOf(path, found);
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The disk failed; the permissions may be right.
    if (code === "EIO") return undefined;
    if (code === "EROFS") return `${basename(path)} is on a read-only file system: make it writable`;
    return `${basename(path)} belongs to user ${found.uid} and cannot be written by user ${user} (${code}). ${fixOf(path, found.uid, user)}`;
  }
};

export const firstFault = (
  paths: readonly string[],
  faultOf: (path: string) => string | undefined,
): string | undefined => paths.map(faultOf).find((fault) => fault !== undefined);

/** Files that only a used store has. */
const USED_FILE =
  /^(admin\.key|server\.json|blobs|uploads|photo-uploads|adoption-store\.db\.((before|damaged)-.+|repairing))$/;
/** SQLite deletes the log of a missing or empty database, and with it the transactions that only the log holds. */
const LOG = "adoption-store.db-wal";

const isEmpty = (path: string): boolean => {
  const found = lstatSync(path);
  return found.isDirectory() ? readdirSync(path).length === 0 : found.size === 0;
};

/**
 * The names of files which show that a store was in use here.
 * @param log true if the log counts, because the database is missing or empty
 */
const usedFilesIn = (dataDir: string, { log }: { log: boolean }): string[] =>
  existsSync(dataDir)
    ? readdirSync(dataDir)
        .filter((name) => USED_FILE.test(name) || (log && name === LOG))
        .filter((name) => !isEmpty(join(dataDir, name)))
        .toSorted()
    : [];

/**
 * Refuses to create a new store if DATA_DIR had one: a new database would replace a lost one with other keys and backups.
 * @throws OperatorError
 */
export const assertUnused = (dataDir: string, state: "missing" | "empty"): void => {
  if (existsSync(recoveringPath(dataDir)))
    throw new OperatorError(
      `DATA_DIR ${dataDir}: recover was interrupted here, and the store is not complete. Run adoption-store recover again with this directory`,
    );
  const used = usedFilesIn(dataDir, { log: fileSize(databasePath(dataDir)) === 0 });
  if (used.length === 0) return;
  if (existsSync(repairingPath(dataDir)))
    throw new OperatorError(
      `DATA_DIR ${dataDir}: a repair was interrupted. Run adoption-store doctor --repair again`,
    );
  throw new OperatorError(
    `DATA_DIR ${dataDir}: the database ${basename(databasePath(dataDir))} is ${state}, but a store was in use here (${used.join(", ")}): restore a backup with adoption-store restore FILE; or, to begin a new store, move these files away`,
  );
};

const creationFault = (dataDir: string, error: unknown): string => {
  try {
    const found = lstatSync(dataDir, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() && !existsSync(dataDir))
      return "it is a symbolic link to a directory that does not exist: create that directory, or name another with --data-dir";
    if (found && !found.isDirectory()) return "it is a file, not a directory: name another with --data-dir";
  } catch {
    // A directory above it is the reason, which `error` names.
  }
  return `cannot be created (${reasonOf(error)})`;
};

/** Creates DATA_DIR if it is missing. @throws OperatorError */
export const makeDataDir = (dataDir: string): void => {
  // Only this process's user may read the files that it creates, SQLite's own files included.
  process.umask(0o077);
  try {
    makeDirectories(dataDir);
  } catch (error) {
    throw new OperatorError(`DATA_DIR ${dataDir}: ${creationFault(dataDir, error)}`, { cause: error });
  }
};

/**
 * @throws OperatorError if a file of the database is not an ordinary file: SQLite keeps the log of a symbolic link
 * elsewhere, and opening a pipe waits forever
 */
export const assertDatabaseFiles = (dataDir: string): void => {
  let fault: string | undefined;
  try {
    fault = firstFault(databaseFiles(databasePath(dataDir)), kindFault);
  } catch (error) {
    fault = directoryFault(dataDir) ?? reasonOf(error);
  }
  if (fault !== undefined) throw new OperatorError(`DATA_DIR ${dataDir}: ${fault}`);
};

/** @throws OperatorError if another user owns it or can replace its files, and as `assertDatabaseFiles` does */
export const assertDataDir = (dataDir: string): void => {
  const fault = directoryFault(dataDir);
  if (fault !== undefined) throw new OperatorError(`DATA_DIR ${dataDir}: ${fault}`);
  assertDatabaseFiles(dataDir);
};

/** A DATA_DIR has no database, and the command creates none. */
export class NoDatabase extends OperatorError {
  override name = "NoDatabase";

  constructor(readonly dataDir: string) {
    super(
      `DATA_DIR ${dataDir}: there is no database. Name the directory of a store with --data-dir, or create a store with adoption-store serve`,
    );
  }
}

/** Makes sure that the database file exists; `create` creates an empty one. @throws OperatorError */
export const assertDatabase = (dataDir: string, { create }: { create: boolean }): void => {
  const path = databasePath(dataDir);
  if (fileSize(path) > 0) return;
  const exists = existsSync(path);
  assertUnused(dataDir, exists ? "empty" : "missing");
  if (create) createEmpty(path);
  else if (!exists) throw new NoDatabase(dataDir);
};
