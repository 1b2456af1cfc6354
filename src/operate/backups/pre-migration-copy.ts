import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { databasePath } from "../../data/data-dir/paths.ts";
import { freeBytes } from "../../data/data-dir/storage.ts";
import { logSize } from "../../data/db/wal.ts";
import { replaceDurably } from "../../lib/durable.ts";
import { fileSize } from "../../lib/files.ts";

const MAX_AGE_MS = 7 * 24 * 60 * 60_000;

/** A migration may need this many times the database's size: the copy, the log, which may hold every page, and growth. */
const SPACE_FACTOR = 4;

const PREFIX = `${basename(databasePath(""))}.before-`;
/** Ends with a migration's tag. A database that a restore sets aside has a time there instead. */
const COPY_NAME = new RegExp(`^${PREFIX.replaceAll(".", "\\.")}\\d{4}_\\w+(\\.partial(-journal)?)?$`);

export const preMigrationCopyPath = (dataDir: string, tag: string): string =>
  `${databasePath(dataDir)}.before-${tag}`;

const copiesIn = (dataDir: string): string[] =>
  readdirSync(dataDir)
    .filter((name) => COPY_NAME.test(name))
    .map((name) => join(dataDir, name));

export const migrationSpace = (dataDir: string): number => {
  const path = databasePath(dataDir);
  return SPACE_FACTOR * (fileSize(path) + logSize(path));
};

/** True if DATA_DIR has room for a migration and its copy with `reserve` bytes to spare. */
export const hasSpaceForCopy = (dataDir: string, reserve: number): boolean =>
  freeBytes(dataDir) >= migrationSpace(dataDir) + reserve;

/**
 * Copies the database before a migration, and removes the copies from before other migrations.
 * @param copyInto writes the copy into a file that does not exist
 * @returns the copy's path
 */
export const copyBeforeMigration = async (
  dataDir: string,
  tag: string,
  copyInto: (path: string) => Promise<void>,
): Promise<string> => {
  const path = preMigrationCopyPath(dataDir, tag);
  await replaceDurably(path, `${path}.partial`, copyInto);
  for (const other of copiesIn(dataDir)) if (other !== path) rmSync(other, { force: true });
  return path;
};

/** The copy that was taken at this time or later, by a migration since then; undefined without one. */
export const copySince = (dataDir: string, time: number): string | undefined =>
  copiesIn(dataDir).find((path) => !path.includes(".partial") && statSync(path).mtimeMs >= time);

/** Removes copies older than seven days. @returns their paths */
export const removeOldCopies = (dataDir: string, now: number): string[] => {
  const old = copiesIn(dataDir).filter((path) => statSync(path).mtimeMs < now - MAX_AGE_MS);
  for (const path of old) rmSync(path, { force: true });
  return old;
};
