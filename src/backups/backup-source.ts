import { assertDataDir, assertDatabase } from "../data-dir/checks.ts";
import { assertNotBeingRestored } from "../data-dir/lock.ts";
import { openFault } from "../data-dir/storage.ts";
import { databasePath } from "../data-dir/paths.ts";
import { asDiskError } from "../db/disk-error.ts";
import { type Client, openExisting, sizeOf } from "../db/snapshot.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { reasonOf } from "../lib/reason.ts";
import { isBusy, isDamage } from "../lib/storage-errors.ts";

export const lockedError = (dataDir: string) =>
  new OperatorError(`DATA_DIR ${dataDir}: another process has locked the database: try again`);

export const unsoundError = (dataDir: string, error: unknown) =>
  new OperatorError(
    `DATA_DIR ${dataDir}: the database cannot be backed up: ${reasonOf(error)}. Run adoption-store doctor.`,
    { cause: error },
  );

/** Opens the database of DATA_DIR to back it up. @throws OperatorError */
export const openSource = (dataDir: string): Client => {
  assertDataDir(dataDir);
  assertDatabase(dataDir, { create: false });
  assertNotBeingRestored(dataDir);
  const path = databasePath(dataDir);
  try {
    return openExisting(path);
  } catch (error) {
    throw new OperatorError(`DATA_DIR ${dataDir}: ${openFault(path, error)}`, { cause: error });
  }
};

/**
 * Reads once, which opens the log, so that a fault of the database is not reported as a fault of the backup's directory.
 * @throws OperatorError
 */
export const assertReadable = (source: Client, dataDir: string): void => {
  try {
    sizeOf(source);
  } catch (caught) {
    const error = asDiskError(source, caught);
    if (isBusy(error)) throw lockedError(dataDir);
    if (isDamage(error)) throw unsoundError(dataDir, error);
    throw new OperatorError(`DATA_DIR ${dataDir}: ${openFault(databasePath(dataDir), error)}`, {
      cause: error,
    });
  }
};
