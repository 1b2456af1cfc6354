import { existsSync, lstatSync } from "node:fs";
import { makeDirectories } from "../lib/durable.ts";
import { fileSize } from "../lib/files.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { createEmpty } from "../lib/ownership.ts";
import { reasonOf } from "../lib/reason.ts";
import { databaseFiles, databasePath } from "./paths.ts";
import { directoryFault, firstFault, kindFault } from "./permissions.ts";
import { assertUnused } from "./traces.ts";

/** Why DATA_DIR could not be created. */
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
