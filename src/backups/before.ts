import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { databasePath, freeBytes } from "../data.ts";
import { logSize } from "../db/log.ts";
import { replaceFile } from "../durable.ts";
import { fileSize } from "../filesystem.ts";
import { inheritOwner } from "../ownership.ts";

/** How long the copy that was taken before a migration is kept. */
const KEPT_MS = 7 * 24 * 60 * 60_000;

/** The copy, the log of the migration, which may write every page anew, and what the database grows by: as many files as it is. */
const FILES = 4;

const PREFIX = `${basename(databasePath(""))}.before-`;
/** As drizzle-kit names migrations; what a restore sets aside has a time there. */
const OWN = new RegExp(`^${PREFIX.replaceAll(".", "\\.")}\\d{4}_\\w+(\\.partial(-journal)?)?$`);

/** Where the copy is that is taken before this migration. */
export const copyPath = (dataDir: string, tag: string): string => `${databasePath(dataDir)}.before-${tag}`;

const copiesIn = (dataDir: string): string[] =>
  readdirSync(dataDir)
    .filter((name) => OWN.test(name))
    .map((name) => join(dataDir, name));

/** Bytes that a migration with a copy needs in DATA_DIR. */
export const neededFor = (dataDir: string): number => {
  const path = databasePath(dataDir);
  return FILES * (fileSize(path) + logSize(path));
};

/** True if DATA_DIR has room for a migration with a copy, and `reserve` bytes stay free. */
export const hasRoomForCopy = (dataDir: string, reserve: number): boolean =>
  freeBytes(dataDir) >= neededFor(dataDir) + reserve;

/**
 * Takes a copy of the database before a migration; those from before other migrations go.
 * @param copyInto writes it into a file that is not there
 * @returns where it is
 */
export const takeCopy = async (
  dataDir: string,
  tag: string,
  copyInto: (path: string) => Promise<void>,
): Promise<string> => {
  const path = copyPath(dataDir, tag);
  const temporary = `${path}.partial`;
  rmSync(temporary, { force: true });
  try {
    await copyInto(temporary);
    inheritOwner(temporary);
    await replaceFile(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  for (const other of copiesIn(dataDir)) if (other !== path) rmSync(other, { force: true });
  return path;
};

/** Removes copies from before a migration that are old enough. @returns which */
export const removeOldCopies = (dataDir: string, now: number): string[] => {
  const old = copiesIn(dataDir).filter((path) => statSync(path).mtimeMs < now - KEPT_MS);
  for (const path of old) rmSync(path, { force: true });
  return old;
};
