import { chmodSync } from "node:fs";
import { openLog } from "../cluster/open-log.ts";
import { NotAReplica } from "../cluster/file.ts";
import { type Replica, openReplica } from "../cluster/replica.ts";
import { startReplica } from "../cluster/start-replica.ts";
import type { Config } from "../config/config.ts";
import type { DatabaseUrl } from "../lib/database-url.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { EngineUnavailable } from "../lib/storage-errors.ts";
import { ObjectStoreError } from "../protocols/s3/object-store-error.ts";
import { assertDataDir, assertDatabase, makeDataDir } from "./checks.ts";
import { engineError } from "./engine-error.ts";
import { nodeIdOf } from "./node-id.ts";
import { snapshotObjects } from "./snapshot-objects.ts";
import { openError } from "./open-error.ts";
import { databaseFiles, databasePath } from "./paths.ts";
import { fileFault, firstFault } from "./permissions.ts";

const PROGRESS_MS = 5000;

/** Says every few seconds how much of a snapshot is there. */
const progressOf = (onStep: ((message: string) => void) | undefined) => {
  let next = performance.now() + PROGRESS_MS;
  const onProgress = (bytes: number, of: number) => {
    if (performance.now() < next) return;
    next = performance.now() + PROGRESS_MS;
    onStep?.(`the cluster's snapshot: ${Math.floor((100 * bytes) / of)} %`);
  };
  return { onStep, onProgress };
};

/**
 * Opens the replica in DATA_DIR. The server, which migrates, makes it if it is missing or outdated; a command beside a server or
 * without one takes what there is.
 * @throws OperatorError
 */
export const openReplicaStore = async (
  { dataDir, commitGroupSize, staleLimit, blobsUrl }: Config,
  databaseUrl: DatabaseUrl,
  {
    migrate = false,
    onStep,
    onLoad,
  }: { migrate?: boolean; onStep?: (message: string) => void; onLoad?: () => Promise<unknown> },
): Promise<Replica> => {
  const path = databasePath(dataDir);
  if (migrate) makeDataDir(dataDir);
  assertDataDir(dataDir);
  if (!migrate) assertDatabase(dataDir, { create: false });
  const fault = migrate ? firstFault(databaseFiles(path), fileFault) : undefined;
  if (fault !== undefined) throw new OperatorError(`DATA_DIR ${dataDir}: ${fault}`);
  const log = await openLog(databaseUrl);
  try {
    if (migrate)
      await startReplica(path, log, { objects: snapshotObjects(blobsUrl), onLoad, ...progressOf(onStep) });
    const replica = await openReplica(path, log, {
      node: nodeIdOf(dataDir),
      groupSize: commitGroupSize,
      staleMs: staleLimit,
      migrates: migrate,
    });
    chmodSync(path, 0o600);
    return replica;
  } catch (error) {
    await log.close();
    if (error instanceof OperatorError) throw error;
    if (error instanceof EngineUnavailable) throw engineError(databaseUrl, error);
    if (error instanceof ObjectStoreError)
      throw new OperatorError(`BLOBS_URL: ${error.message}: check the address, the keys and the network`, {
        cause: error,
      });
    if (error instanceof NotAReplica) throw new OperatorError(`DATA_DIR ${dataDir}: ${error.message}`);
    throw openError(dataDir, error);
  }
};
