import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import type { Cluster } from "../cluster/cluster.ts";
import type { Config } from "../config/config.ts";
import { MigrationRefused } from "../db/migrate.ts";
import { type Database, openDatabase } from "../db/open.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { reasonOf } from "../lib/reason.ts";
import { assertDataDir, assertDatabase, makeDataDir } from "./checks.ts";
import { explainStorage, systemFault } from "./filesystem.ts";
import { databaseFiles, databasePath } from "./paths.ts";
import { fileFault, firstFault } from "./permissions.ts";
import { assertUnused } from "./traces.ts";

/** Why a database cannot be opened, and what to do. */
export const openFault = (path: string, error: unknown): string => {
  const files = databaseFiles(path);
  return (
    firstFault(files, fileFault) ??
    explainStorage(systemFault(files) ?? error, dirname(path)) ??
    `the database cannot be opened (${reasonOf(error)}): check that the directory is writable and has room, or restore a backup`
  );
};

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
  // SQLite opens a file that it cannot write for reading only, and says nothing.
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
    const reason = error instanceof MigrationRefused ? error.message : openFault(path, error);
    throw new OperatorError(`DATA_DIR ${dataDir}: ${reason}`, { cause: error });
  }
};

/** The database of DATA_DIR; `cluster` if it is a replica. */
export interface Store {
  readonly database: Database;
  readonly cluster?: Cluster;
}

/**
 * Opens the database of DATA_DIR.
 * @throws OperatorError
 */
export const openStore = async (config: Config, how: Parameters<typeof openData>[1]): Promise<Store> => ({
  database: openData(config, how),
});
