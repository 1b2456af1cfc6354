import { statSync } from "node:fs";
import { dirname } from "node:path";
import { auditRepository } from "../access/audit/repository.ts";
import type { Cluster } from "../data/cluster/cluster.ts";
import type { Config } from "../config/config.ts";
import { assertDatabaseFiles, assertDataDir, assertUnused } from "../data/data-dir/checks.ts";
import { engineError, explainStorage, fullDiskAdvice, openFault } from "../data/data-dir/storage.ts";
import { assertNotBeingRestored, isBeingRestored } from "../data/data-dir/lock.ts";
import { openStore } from "../data/open.ts";
import { databasePath } from "../data/data-dir/paths.ts";
import type { AuditEntry } from "../data/db/audit.ts";
import { asDiskError } from "../data/db/failures.ts";
import { assertCurrent, MigrationRefused } from "../data/db/migrate.ts";
import { migrations } from "../data/db/migrations.ts";
import type { Database } from "../data/db/open.ts";
import { openForReading } from "../data/db/readonly.ts";
import type { Client } from "../data/db/snapshot.ts";
import type { Actor } from "../lib/actor.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { OPERATOR } from "../lib/actor.ts";
import { quantity } from "../lib/quantity.ts";
import { reasonOf } from "../lib/reason.ts";
import { EngineUnavailable, isFull, resultCode } from "../lib/storage-errors.ts";
import { sentence } from "../lib/text.ts";
import { note } from "./print/output.ts";

/** Turns a storage failure into a message that names the file system and the remedy. */
const toOperatorError = (error: unknown, dataDir: string): unknown => {
  // An error of the operating system comes from another file that the command writes.
  if (isFull(error) && resultCode(error) !== "SQLITE_FULL") {
    const { path } = error as NodeJS.ErrnoException;
    const reason =
      path === undefined
        ? "the file system of a file that it writes is full: make room there"
        : `${path}: ${fullDiskAdvice(dirname(path))}`;
    return new OperatorError(`${reason}, then try again`, { cause: error });
  }
  const explanation = resultCode(error).startsWith("SQLITE_") ? explainStorage(error, dataDir) : undefined;
  return explanation === undefined
    ? error
    : new OperatorError(`DATA_DIR ${dataDir}: ${explanation}`, { cause: error });
};

/** Waits until a replica has caught up, and reports a large backlog. Does nothing without a cluster. */
export const catchUpWithCluster = async (database: Database, cluster: Cluster | undefined): Promise<void> => {
  if (!cluster) return;
  const { catchUp } = await import("../data/cluster/far-behind.ts");
  await catchUp(database, cluster, (left) =>
    note(`catching up with the cluster: ${quantity(left, "record")} left`),
  );
};

/**
 * Runs `work` on the database of DATA_DIR, whether or not a server runs.
 * @throws OperatorError if it cannot be opened, is being restored, or a file system is full
 */
export const withDatabase = async <Result>(
  config: Config,
  work: (database: Database, cluster: Cluster | undefined) => Promise<Result>,
): Promise<Result> => {
  assertDataDir(config.dataDir);
  assertNotBeingRestored(config.dataDir);
  const { database, cluster } = await openStore(config, { create: false });
  try {
    // The server of this directory may be stopped, and the replica out of date.
    await catchUpWithCluster(database, cluster);
    return await work(database, cluster);
  } catch (error) {
    if (error instanceof EngineUnavailable && config.databaseUrl)
      throw engineError(config.databaseUrl, error);
    throw toOperatorError(asDiskError(database.client, error), config.dataDir);
  } finally {
    await database.close();
    await cluster?.log.close();
  }
};

/** Stores the audit log entry of a completed action, so a failure is only noted. */
const attempt = async (store: () => Promise<void>): Promise<void> => {
  try {
    await store();
  } catch (error) {
    note(`The command succeeded, but the audit log has no entry: ${sentence(reasonOf(error))}`);
  }
};

/** Records an action of a command that has the database open. */
export const recordIn = (database: Database, entry: AuditEntry): Promise<void> =>
  attempt(() => auditRepository(database).add({ actor: OPERATOR, now: Date.now() }, entry));

export const record = (config: Config, entry: AuditEntry, actor: Actor = OPERATOR): Promise<void> =>
  attempt(() =>
    withDatabase(config, (database) => auditRepository(database).add({ actor, now: Date.now() }, entry)),
  );

/** The reason why there is nothing to open in a new DATA_DIR. */
export const NONE = "it does not exist yet";
const BEING_RESTORED = "not checked: a backup is being restored";

/** Opens the database without changing a file. @returns why no database exists @throws an error with the cause */
export const openForCommand = ({ dataDir: path }: Config): Client | string => {
  assertDatabaseFiles(path);
  const file = databasePath(path);
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.size) {
    assertUnused(path, found ? "empty" : "missing");
    return NONE;
  }
  if (isBeingRestored(path)) return BEING_RESTORED;
  let client: Client | undefined;
  try {
    client = openForReading(file);
    assertCurrent(client, migrations);
    return client;
  } catch (caught) {
    const error = client ? asDiskError(client, caught) : caught;
    client?.close();
    throw error instanceof MigrationRefused ? error : new Error(openFault(file, error), { cause: error });
  }
};
