import { existsSync, lstatSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileSize } from "../lib/files.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { databasePath } from "./paths.ts";

/** Files that only a used store has. */
const TRACE = /^(admin\.key|server\.json|blobs|uploads|adoption-store\.db\.before-.+)$/;
/** SQLite deletes the log of a missing or empty database, and with it the transactions that only the log holds. */
const LOG = "adoption-store.db-wal";

const isEmpty = (path: string): boolean => {
  const found = lstatSync(path);
  return found.isDirectory() ? readdirSync(path).length === 0 : found.size === 0;
};

/**
 * The names of files which show that a store was in use here.
 * @param log true if the log counts, because the database is missing or empty
 */
const tracesIn = (dataDir: string, { log }: { log: boolean }): string[] =>
  existsSync(dataDir)
    ? readdirSync(dataDir)
        .filter((name) => TRACE.test(name) || (log && name === LOG))
        .filter((name) => !isEmpty(join(dataDir, name)))
        .toSorted()
    : [];

/**
 * Refuses to create a new store where one was in use: a new database in place of a lost one would have other keys and backups.
 * @throws OperatorError
 */
export const assertUnused = (dataDir: string, state: "missing" | "empty"): void => {
  const traces = tracesIn(dataDir, { log: fileSize(databasePath(dataDir)) === 0 });
  if (traces.length === 0) return;
  throw new OperatorError(
    `DATA_DIR ${dataDir}: the database ${basename(databasePath(dataDir))} is ${state}, but a store was in use here (${traces.join(", ")}): restore a backup with adoption-store restore FILE; or, to begin a new store, move these files away`,
  );
};
