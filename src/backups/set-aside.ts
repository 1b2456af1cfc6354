import { copyFileSync, existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { fileTime } from "./file-names.ts";
import { dirname, join } from "node:path";
import { openFault } from "../data-dir/storage.ts";
import { settleLog } from "../db/snapshot.ts";
import { syncDirectory, syncPath } from "../lib/durable.ts";
import { fileSize } from "../lib/files.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { inheritOwner } from "../lib/ownership.ts";
import { isBusy, isDamage, isFull } from "../lib/storage-errors.ts";
import { tryLink } from "./destination.ts";

const LOG_SUFFIXES = ["-wal", "-shm", "-journal"];
const INFIX = ".before-restore-";

/** The new path of a database that a restore at this time replaces. */
export const asidePath = (path: string, now: number): string => `${path}${INFIX}${fileTime(now)}`;

/** Links the database and its log to the path `aside`, where they are complete. The original database stays. @throws OperatorError */
export const setAside = async (path: string, aside: string): Promise<void> => {
  includeLog(path);
  const present = ["", ...LOG_SUFFIXES].filter((end) => end !== "-shm" && existsSync(path + end));
  for (const end of present) await addName(path + end, aside + end);
  syncDirectory(dirname(path));
  // SQLite would apply a log that stays here to the restored database. Only a damaged log still exists.
  for (const end of LOG_SUFFIXES) rmSync(path + end, { force: true });
  syncDirectory(dirname(path));
};

/** Copies the log into the database if both are intact. If one is damaged, both stay as they are. */
const includeLog = (path: string): void => {
  // SQLite deletes the log of an empty database, and with it the transactions that only the log holds.
  if (fileSize(path) === 0) return;
  removeSecondNames(path);
  try {
    settleLog(path);
  } catch (error) {
    if (isBusy(error))
      throw new OperatorError(`${path}: another process is using it: end that process, then try again`, {
        cause: error,
      });
    if (isFull(error)) throw error;
    if (!isDamage(error))
      throw new OperatorError(`DATA_DIR ${dirname(path)}: ${openFault(path, error)}`, { cause: error });
  }
};

/** Removes links to the database in use that a killed restore left: under two names, a database would get two logs. */
const removeSecondNames = (path: string): void => {
  const { ino, nlink } = statSync(path);
  if (nlink === 1) return;
  const directory = dirname(path);
  for (const name of readdirSync(directory).filter((one) => one.includes(INFIX)))
    if (statSync(join(directory, name)).ino === ino) rmSync(join(directory, name));
};

/** Links the file to a second name; on a file system without links, copies it. */
const addName = async (file: string, name: string): Promise<void> => {
  if (tryLink(file, name)) return;
  try {
    copyFileSync(file, name);
    inheritOwner(name);
    await syncPath(name);
  } catch (error) {
    rmSync(name, { force: true });
    throw error;
  }
};
