import { chmodSync } from "node:fs";
import type { Config } from "../../config/config.ts";
import { type Database, openDatabase } from "../db/open.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { assertDataDir, assertDatabase, assertUnused, fileFault, firstFault, makeDataDir } from "./checks.ts";
import { databaseFiles, databasePath } from "./paths.ts";
import { openError } from "./storage.ts";

/**
 * Opens the database of DATA_DIR. `create` creates both if they are missing. `migrate` brings the database up to date; only
 * the server that holds the lock may do that, because an older server may be running.
 * @throws OperatorError
 */
export const openData = (
  config: Config,
  { create, migrate = false }: { create: boolean; migrate?: boolean },
): Database => {
  const { dataDir } = config;
  const path = databasePath(dataDir);
  if (create) makeDataDir(dataDir);
  assertDataDir(dataDir);
  assertDatabase(dataDir, { create });
  // SQLite silently opens a file that it cannot write for reading only.
  const fault = migrate ? firstFault(databaseFiles(path), fileFault) : undefined;
  if (fault !== undefined) throw new OperatorError(`DATA_DIR ${dataDir}: ${fault}`);
  try {
    const migrating = migrate ? "always" : create ? "new" : "never";
    const onEmpty = () => assertUnused(dataDir, "empty");
    const database = openDatabase(path, { groupSize: config.commitGroupSize, migrating, onEmpty });
    chmodSync(path, 0o600);
    return database;
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw openError(dataDir, error);
  }
};
