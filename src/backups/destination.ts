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
import { reasonOf } from "../lib/reason.ts";
import { syncDirectory, syncPath } from "../lib/durable.ts";
import { OperatorError } from "../lib/operator-error.ts";

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "";

/** What the service keeps in DATA_DIR, and what is named after it, such as the database's logs. */
const OWN = /^(adoption-store\.db|admin\.key|server\.(lock|json)|import-\d+\.lock|(blobs|uploads)$)/i;
/** Behind the real path of such a file, or of such a directory. */
const OWN_END = /^(-wal|-shm|-journal|\/.*)?$/;

/** The directory itself, or the nearest above it that is there. */
const nearestExisting = (directory: string): string =>
  existsSync(directory) ? directory : nearestExisting(dirname(directory));

/** True if the service keeps such a file itself; whatever links lead there. */
const isOwn = (file: string, dataDir: string): boolean => {
  if (!existsSync(dataDir)) return false;
  const directory = nearestExisting(dirname(file));
  const place = join(realpathSync(directory), relative(directory, file));
  if (OWN.test(relative(realpathSync(dataDir), place).split(sep)[0] ?? "")) return true;
  return readdirSync(dataDir)
    .map((name) => join(dataDir, name))
    .filter((own) => OWN.test(basename(own)) && existsSync(own))
    .map((own) => realpathSync(own))
    .some((own) => place.startsWith(own) && OWN_END.test(place.slice(own.length)));
};

/** @throws OperatorError if its directory cannot hold a file, or it would take the place of one that must stay */
export const assertDestination = (file: string, dataDir: string): void => {
  const directory = dirname(resolve(file));
  if (!existsSync(directory))
    throw new OperatorError(`${directory} does not exist: make it, or name another place`);
  if (!statSync(directory).isDirectory())
    throw new OperatorError(`${directory} is not a directory: name another place`);
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false)
    throw new OperatorError(`${file} is not an ordinary file: name another`);
  if (isOwn(resolve(file), dataDir))
    throw new OperatorError(`${file}: DATA_DIR has files of its own; name another place`);
};

/** @throws OperatorError if backups cannot be written there, nor the directory be made */
export const assertBackupDirectory = (path: string, dataDir: string): void => {
  const refused = (reason: string) =>
    new OperatorError(`BACKUP_DIR ${path}: ${reason}; choose another with --backup-dir`);
  if (isOwn(resolve(path), dataDir)) throw refused("DATA_DIR has files of its own");
  const directory = nearestExisting(resolve(path));
  if (!statSync(directory).isDirectory()) throw refused(`${directory} is not a directory`);
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw refused(`${directory} cannot be written (${reasonOf(error)})`);
  }
};

/** File systems that know no second name for a file say one of these. */
const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

const existsError = (file: string) =>
  new OperatorError(`${file} exists already: name another file, or overwrite it with --force`);

/** Gives the file its second name in one step. False where the file system knows none. @throws EEXIST */
export const tryLink = (file: string, name: string): boolean => {
  try {
    linkSync(file, name);
    return true;
  } catch (error) {
    if (NO_LINKS.has(codeOf(error))) return false;
    throw error;
  }
};

/** Moves a whole file into its place, so that there is this one or the one before; what it says is on disk by then. */
export const moveIntoPlace = async (
  temporary: string,
  file: string,
  { force }: { force: boolean },
): Promise<void> => {
  chmodSync(temporary, 0o600);
  await syncPath(temporary);
  try {
    if (!force && tryLink(temporary, file)) rmSync(temporary);
    else if (!force && existsSync(file)) throw existsError(file);
    else renameSync(temporary, file);
  } catch (error) {
    throw codeOf(error) === "EEXIST" ? existsError(file) : error;
  }
  syncDirectory(dirname(file));
};
