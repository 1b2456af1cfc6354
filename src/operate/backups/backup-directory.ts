import { existsSync, readSync, readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { databasePath } from "../../data/data-dir/paths.ts";
import { sudoCommand } from "../../data/data-dir/shell.ts";
import { openForReading } from "../../data/db/readonly.ts";
import type { Client } from "../../data/db/snapshot.ts";
import { type StoreIdentity, storeIdentityOf } from "../../data/db/store-id.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { reasonOf } from "../../lib/reason.ts";
import { resultCode } from "../../lib/storage-errors.ts";
import { checkBackup } from "./check.ts";
import { backupTime, isTemporary } from "./file-names.ts";
import { rescuedStores } from "./rescue.ts";
import { attempt } from "../../lib/attempt.ts";
import { withFile } from "../../lib/files.ts";

/** False for a truncated file, whose first tables may still be readable. */
const isWhole = (client: Client, file: string): boolean =>
  client
    .query<{ bytes: number }, []>(
      "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size",
    )
    .get()?.bytes === statSync(file).size;

const readIdentity = (
  file: string,
  read: (client: Client) => StoreIdentity | undefined,
): StoreIdentity | undefined => {
  try {
    using client = openForReading(file);
    return read(client);
  } catch {
    return undefined;
  }
};

/** The identity of the store in DATA_DIR; undefined if its database is missing, damaged or older than store ids. */
export const storeIdentityIn = (dataDir: string): StoreIdentity | undefined =>
  readIdentity(databasePath(dataDir), storeIdentityOf);

/** The id of the store in a backup; undefined if it has none or cannot be read. */
export const storeIdOfFile = (file: string): string | undefined =>
  readIdentity(file, (client) => (isWhole(client, file) ? storeIdentityOf(client) : undefined))?.id;

/**
 * When the newest backup of a store was taken, or of any store without an id; undefined without one. Backups from the future do
 * not count.
 */
export const newestBackupIn = (
  directory: string,
  storeId: string | undefined,
  now: number,
): number | undefined => {
  if (!existsSync(directory)) return undefined;
  const names = readdirSync(directory).filter((name) => (backupTime(name) ?? Infinity) <= now);
  const isOwn = (name: string) => storeId === undefined || storeIdOfFile(join(directory, name)) === storeId;
  // The names sort by time, so that few files are read.
  const newest = names.toSorted().findLast(isOwn);
  return newest === undefined ? undefined : backupTime(newest);
};

/** The backups of a store. Rotation leaves alone `others`: of another store, without a store id, or damaged. */
export const backupsIn = (directory: string, storeId: string | undefined) => {
  const named = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && backupTime(entry.name) !== undefined)
    .map(({ name }) => name);
  const isOwn = (name: string) => storeId !== undefined && storeIdOfFile(join(directory, name)) === storeId;
  const { own = [], others = [] } = Object.groupBy(named, (name) => (isOwn(name) ? "own" : "others"));
  return { own, others };
};

/** @throws OperatorError if the directory is missing, or this user may not read it */
const namesIn = (directory: string, dataDir: string): string[] => {
  try {
    return readdirSync(directory);
  } catch (error) {
    const advice =
      resultCode(error) === "EACCES"
        ? `this user may not read it. Run: ${sudoCommand(0, dataDir)}`
        : `it cannot be read (${reasonOf(error)}). Name a directory with backups, or a backup`;
    throw new OperatorError(`${directory}: ${advice}`, { cause: error });
  }
};

/**
 * Finds the newest backup in a directory that can be restored. Skips backups of other stores than the one in DATA_DIR.
 * @param onSkipped called with the reason for each newer backup
 * @throws OperatorError without such a backup
 */
export const newestValidBackup = (
  directory: string,
  dataDir: string,
  {
    onProgress,
    onSkipped,
  }: { onProgress: (line: string, isStep?: boolean) => void; onSkipped: (reason: string) => void },
): string => {
  const names = namesIn(directory, dataDir);
  const own = storeIdentityIn(dataDir)?.id;
  // The names sort by time.
  for (const name of names
    .filter((one) => backupTime(one) !== undefined)
    .toSorted()
    .toReversed()) {
    const file = join(directory, name);
    try {
      const { store } = checkBackup(file, onProgress);
      if (own === undefined || store === undefined || store === own) return file;
      onSkipped(`${file} is a backup of another store`);
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      onSkipped(reasonOf(error));
    }
  }
  throw new OperatorError(
    `${directory} contains no backup that can be restored. Name a file, or a directory that contains files named adoption-store-<UTC time>.db.`,
  );
};

/** The beginning of every SQLite database (https://sqlite.org/fileformat2.html#magic_header_string). */
const MAGIC = "SQLite format 3\0";

const isDatabase = (path: string): boolean => {
  const head = Buffer.alloc(MAGIC.length);
  const bytes = attempt(() => withFile(path, "r", (file) => readSync(file, head)));
  // A file that cannot be read may be a database.
  return bytes === undefined || head.toString("latin1") === MAGIC;
};

/** True for databases that a restore set aside or did not remove, and for backups, whose names end with .db in DATA_DIR. */
const isCopyInData = (path: string): boolean => {
  const [name, own] = [basename(path), basename(databasePath(""))];
  return name.startsWith(`${own}.`) || isTemporary(name) || (name !== own && name.endsWith(".db"));
};

const isBackup = (path: string): boolean => isTemporary(basename(path)) || isDatabase(path);

const filesIn = (directory: string, isCopy: (path: string) => boolean): string[] => {
  try {
    return readdirSync(directory)
      .toSorted()
      .map((name) => join(directory, name))
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() && isCopy(path));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? [] : [directory];
  }
};

/**
 * The files in DATA_DIR and in the backup directory that hold a copy of the database or a part of one. A directory that
 * cannot be read is listed itself.
 */
export const databaseCopies = (dataDir: string, backupDir: string): string[] => {
  const data = resolve(dataDir);
  const backups = new Set([join(data, "backups"), resolve(backupDir)]);
  backups.delete(data);
  return [
    ...filesIn(data, isCopyInData),
    ...[...backups].flatMap((directory) => filesIn(directory, isBackup)),
    ...rescuedStores({ dataDir, backupDir }).map(databasePath),
  ];
};
