import { dirname } from "node:path";
import type { Cluster } from "../cluster/cluster.ts";
import type { Config } from "../config/config.ts";
import { quantity } from "../lib/quantity.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { assertDataDir } from "../data-dir/checks.ts";
import { assertNotBeingRestored } from "../data-dir/lock.ts";
import { engineError } from "../data-dir/engine-error.ts";
import { openStore } from "../data-dir/open.ts";
import { asDiskError } from "../db/disk-error.ts";
import { EngineUnavailable, isFull, resultCode } from "../lib/storage-errors.ts";
import type { Database } from "../db/open.ts";
import { explainStorage } from "../data-dir/filesystem.ts";
import { fullDiskAdvice } from "../data-dir/free-space.ts";
import { note } from "./print/output.ts";

/** Turns a storage failure into a message that names the file system and says what to do. */
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

/** Waits for what a replica lacks, and says so if there is much of it. Without a cluster there is nothing to wait for. */
export const catchUpWithCluster = async (database: Database, cluster: Cluster | undefined): Promise<void> => {
  if (!cluster) return;
  const { catchUp } = await import("../cluster/far-behind.ts");
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
    // The server beside it may not run, and the replica be old.
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
