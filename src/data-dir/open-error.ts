import { dirname } from "node:path";
import { MigrationRefused } from "../db/migrate.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { reasonOf } from "../lib/reason.ts";
import { explainStorage, systemFault } from "./filesystem.ts";
import { databaseFiles, databasePath } from "./paths.ts";
import { fileFault, firstFault } from "./permissions.ts";

/** Why a database cannot be opened, and what to do. */
export const openFault = (path: string, error: unknown): string => {
  const files = databaseFiles(path);
  return (
    firstFault(files, fileFault) ??
    explainStorage(systemFault(files) ?? error, dirname(path)) ??
    `the database cannot be opened (${reasonOf(error)}): check that the directory is writable and has room, or restore a backup`
  );
};

/** The error of a database that cannot be opened. */
export const openError = (dataDir: string, error: unknown): OperatorError => {
  const reason = error instanceof MigrationRefused ? error.message : openFault(databasePath(dataDir), error);
  return new OperatorError(`DATA_DIR ${dataDir}: ${reason}`, { cause: error });
};
