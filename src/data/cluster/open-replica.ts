import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import type { DatabaseUrl, EngineTls } from "../../lib/database-url.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { reasonOf } from "../../lib/reason.ts";
import { type Debug, logOf } from "./engines/engine.ts";
import { type Log, type PemFiles, ReplicaDamaged } from "./log.ts";
import { NotAReplica } from "./file.ts";
import { openReplica, type Replica } from "./replica.ts";
import { type OnStep, startReplica } from "./membership.ts";
import type { Config } from "../../config/config.ts";
import { EngineUnavailable, isDamageOrSchema } from "../../lib/storage-errors.ts";
import { ObjectStoreError } from "../../protocols/s3/object-store-error.ts";
import { assertDatabase, assertDataDir, fileFault, firstFault, makeDataDir } from "../data-dir/checks.ts";
import { engineError, openError } from "../data-dir/storage.ts";
import { databaseFiles, databasePath, nodeIdPath } from "../data-dir/paths.ts";
import { snapshotObjects } from "./snapshot-files.ts";

/**
 * Opens the log that DATABASE_URL names. It connects when it is used first.
 * @param debug logs decisions about the write lease
 * @throws OperatorError if a file of TLS cannot be read
 */
export const openLog = async (url: DatabaseUrl, debug?: Debug): Promise<Log> => {
  const tls = url.tls && readFiles(url.tls);
  const engine =
    url.engine === "etcd"
      ? (await import("./engines/etcd.ts")).openEtcd(url, tls)
      : (await import("./engines/postgres.ts")).openPostgres(url, tls);
  return logOf(engine, debug);
};

const readFiles = (tls: EngineTls): PemFiles =>
  Object.fromEntries(
    (["ca", "cert", "key"] as const).flatMap((name) => {
      const path = tls[name];
      return path === undefined ? [] : [[name, readFile(name, path)]];
    }),
  );

const readFile = (name: string, path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new OperatorError(
      `DATABASE_URL: the file of the option ${name} cannot be read: ${reasonOf(error)}`,
    );
  }
};

const ID_FORM = /^[0-9a-f-]{36}\n?$/;

const readId = (path: string): string | undefined => {
  try {
    const text = readFileSync(path, "utf8");
    return ID_FORM.test(text) ? text.trim() : undefined;
  } catch {
    return undefined;
  }
};

/** The id of this node, created at the first call. A copy of DATA_DIR has the same: remove the file there. @throws the system's error */
export const nodeIdOf = (dataDir: string): string => {
  const path = nodeIdPath(dataDir);
  const existing = readId(path);
  if (existing !== undefined) return existing;
  const id = crypto.randomUUID();
  try {
    writeFileSync(path, `${id}\n`, { mode: 0o600, flag: "wx" });
    return id;
  } catch (error) {
    // Another process was first, or the file is damaged.
    const other = readId(path);
    if (other !== undefined) return other;
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  writeFileSync(path, `${id}\n`);
  chmodSync(path, 0o600);
  return id;
};

const PROGRESS_MS = 5000;

/** Reports every few seconds how much of a snapshot was received. */
const progressOf = (onStep: OnStep | undefined) => {
  let next = performance.now() + PROGRESS_MS;
  const onProgress = (bytes: number, of: number) => {
    if (performance.now() < next) return;
    next = performance.now() + PROGRESS_MS;
    onStep?.(`the cluster's snapshot: ${Math.floor((100 * bytes) / of)} %`);
  };
  return { onStep, onProgress };
};

export interface OpenReplicaOptions {
  migrate?: boolean;
  /** Called when a replica has to be made first, and while that takes long. */
  onStep?: OnStep;
  /** Called before a replica is loaded, which may take minutes. */
  onLoad?: () => Promise<unknown>;
  /** Logs decisions of a replica, with their reasons. */
  debug?: Debug;
}

/**
 * Opens the replica in DATA_DIR. The server, which migrates, makes it if it is missing or outdated; a command uses the replica
 * as it is, whether a server runs or not.
 * @throws OperatorError
 */
export const openReplicaStore = async (
  { dataDir, commitGroupSize, staleLimit, blobsUrl }: Config,
  databaseUrl: DatabaseUrl,
  { migrate = false, onStep, onLoad, debug }: OpenReplicaOptions,
): Promise<Replica> => {
  const path = databasePath(dataDir);
  if (migrate) makeDataDir(dataDir);
  assertDataDir(dataDir);
  if (!migrate) assertDatabase(dataDir, { create: false });
  const fault = migrate ? firstFault(databaseFiles(path), fileFault) : undefined;
  if (fault !== undefined) throw new OperatorError(`DATA_DIR ${dataDir}: ${fault}`);
  const log = await openLog(databaseUrl, debug);
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
    if (migrate && isDamageOrSchema(error)) throw new ReplicaDamaged(reasonOf(error), { cause: error });
    if (error instanceof NotAReplica) throw new OperatorError(`DATA_DIR ${dataDir}: ${error.message}`);
    throw openError(dataDir, error);
  }
};
