import { closeSync, openSync, readSync, readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { databasePath } from "../data-dir/paths.ts";
import { isTemporary } from "./file-names.ts";

/** The beginning of every SQLite database (https://sqlite.org/fileformat2.html#magic_header_string). */
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

/** True for databases that a restore set aside or left behind, and for backups, whose names end with .db in DATA_DIR. */
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
  ];
};
