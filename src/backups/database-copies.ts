import { closeSync, openSync, readSync, readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { databasePath } from "../data-dir/paths.ts";
import { isTemporary } from "./file-names.ts";

/** How every database of SQLite begins (https://sqlite.org/fileformat2.html#magic_header_string). */
const MAGIC = "SQLite format 3\0";

const isDatabase = (path: string): boolean => {
  const head = Buffer.alloc(MAGIC.length);
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    readSync(file, head);
    return head.toString("latin1") === MAGIC;
  } catch {
    // A file that cannot be read may be a database.
    return true;
  } finally {
    if (file !== undefined) closeSync(file);
  }
};

/** True for databases that a restore has set aside or left, and for backups: in DATA_DIR their names end with .db. */
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
 * Files of DATA_DIR and of the backup directory that hold a copy of the database or of a part of it. A directory that cannot
 * be read is named itself.
 */
export const databaseCopies = (dataDir: string, backupDir: string): string[] => {
  const data = resolve(dataDir);
  const backups = new Set([join(data, "backups"), resolve(backupDir)]);
  backups.delete(data);
  return [
    ...filesIn(data, isCopyInData),
    ...[...backups].flatMap((directory) => filesIn(directory, isBackup)),
  ];
};
