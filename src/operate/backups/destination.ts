import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { copyFiles } from "../../data/data-dir/paths.ts";
import { type Lock, isUnlocked, shareLock } from "../../data/db/file-lock.ts";
import { syncDirectory, syncPath } from "../../lib/durable.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { reasonOf } from "../../lib/reason.ts";
import { LOCK_SUFFIX, temporaryName, writerOf } from "./file-names.ts";

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "";

/** The service's own files in DATA_DIR, and files named after them, such as the database's log. */
const OWN_NAME =
  /^(adoption-store\.db|admin\.key|clock\.json|server\.(lock|json)|import-\d+\.lock|(blobs|uploads|photo-uploads)$)/i;
/** The possible suffixes of the real path of such a file or directory. */
const OWN_SUFFIX = /^(-wal|-shm|-journal|\/.*)?$/;

/** The directory itself, or the nearest above it that exists. */
export const nearestExisting = (directory: string): string =>
  existsSync(directory) ? directory : nearestExisting(dirname(directory));

/** True if the path leads to a file of the service itself, also through links. */
const isOwn = (file: string, dataDir: string): boolean => {
  if (!existsSync(dataDir)) return false;
  const directory = nearestExisting(dirname(file));
  const realPath = join(realpathSync(directory), relative(directory, file));
  if (OWN_NAME.test(relative(realpathSync(dataDir), realPath).split(sep)[0] ?? "")) return true;
  return readdirSync(dataDir)
    .map((name) => join(dataDir, name))
    .filter((own) => OWN_NAME.test(basename(own)) && existsSync(own))
    .map((own) => realpathSync(own))
    .some((own) => realPath.startsWith(own) && OWN_SUFFIX.test(realPath.slice(own.length)));
};

/** @throws OperatorError if the file cannot be in its directory, or would overwrite a file that must stay */
export const assertDestination = (file: string, dataDir: string): void => {
  const directory = dirname(resolve(file));
  if (!existsSync(directory))
    throw new OperatorError(`${directory} does not exist: create it, or choose another directory`);
  if (!statSync(directory).isDirectory())
    throw new OperatorError(`${directory} is not a directory: choose a directory`);
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false)
    throw new OperatorError(`${file} is not an ordinary file: choose another name`);
  if (isOwn(resolve(file), dataDir))
    throw new OperatorError(`${file} is a file of the server in DATA_DIR: choose another directory`);
};

/** True for DATA_DIR and the directories below it, whose files belong to the service. */
export const isInside = (directory: string, dataDir: string): boolean =>
  `${realpathSync(directory)}${sep}`.startsWith(`${realpathSync(dataDir)}${sep}`);

/** @throws OperatorError if the backup is in DATA_DIR and its name does not end with .db */
export const assertExtension = (file: string, dataDir: string): void => {
  if (realpathSync(dirname(file)) === realpathSync(dataDir) && !file.endsWith(".db"))
    throw new OperatorError(
      `${file}: in DATA_DIR the name of a backup ends with .db: choose another name or directory`,
    );
};

/**
 * @param flag names the directory @param name of its setting
 * @throws OperatorError if files cannot be written there, or the directory cannot be created
 */
export const assertDirectory = (path: string, dataDir: string, flag: string, name = flag): void => {
  const refusal = (reason: string) =>
    new OperatorError(`${name} ${path}: ${reason}: choose another with ${flag}`);
  if (isOwn(resolve(path), dataDir)) throw refusal("it is a directory of the server in DATA_DIR");
  const directory = nearestExisting(resolve(path));
  if (!statSync(directory).isDirectory()) throw refusal(`${directory} is not a directory`);
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw refusal(`${directory} cannot be written (${reasonOf(error)})`);
  }
};

/** @throws OperatorError if backups cannot be written there, or the directory cannot be created */
export const assertBackupDirectory = (path: string, dataDir: string): void =>
  assertDirectory(path, dataDir, "--backup-dir", "BACKUP_DIR");

/** Errors of file systems without hard links. */
const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

export const existsMessage = (file: string): string =>
  `${file} exists already: name another file, or overwrite it with --force`;

/** Creates a hard link. @returns false if the file system has no hard links @throws EEXIST */
export const tryLink = (file: string, name: string): boolean => {
  try {
    linkSync(file, name);
    return true;
  } catch (error) {
    if (NO_LINKS.has(codeOf(error))) return false;
    throw error;
  }
};

/** Moves a complete file to its name, and on disk. `force` replaces an older file. */
export const moveIntoPlace = async (
  temporary: string,
  file: string,
  { force }: { force: boolean },
): Promise<void> => {
  chmodSync(temporary, 0o600);
  await syncPath(temporary);
  try {
    if (!force && tryLink(temporary, file)) rmSync(temporary);
    else if (!force && existsSync(file)) throw new OperatorError(existsMessage(file));
    else renameSync(temporary, file);
  } catch (error) {
    throw codeOf(error) === "EEXIST" ? new OperatorError(existsMessage(file)) : error;
  }
  syncDirectory(dirname(file));
};

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
 * True if the process that created this lock and its file has ended. The process id alone proves nothing: it may belong to
 * another process in another container.
 */
export const isAbandoned = (lock: string, pid: number): boolean =>
  isGone(pid) && lstatSync(lock, { throwIfNoEntry: false })?.isFile() === true && isUnlocked(lock);

const pathOf = (directory: string, pid: number): string => join(directory, temporaryName(pid));

export const removeTemporary = (directory: string, pid: number): void => {
  const path = pathOf(directory, pid);
  for (const file of [...copyFiles(path), path + LOCK_SUFFIX]) rmSync(file, { force: true });
};

/** No process goes this long without writing to its file. */
const ABANDONED_MS = 60 * 60_000;

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
