import { existsSync } from "node:fs";
import { isEmptyDatabase } from "../db/migrate.ts";
import { createDatabase } from "../db/open.ts";
import {
  changeAlone,
  markReplica,
  type ReplicaMark,
  replicaMark,
  unmarkReplica,
} from "../db/replica-mark.ts";
import { openExisting } from "../db/snapshot.ts";
import { ensureStoreId, storeIdOf } from "../db/store-id.ts";
import { fileSize } from "../../lib/files.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { EngineUnavailable, LogTrimmed } from "./errors.ts";
import { isMarkedOutdated, loadSnapshot, putInPlace, removeCopy, withCopy } from "./load-snapshot.ts";
import type { Head, Log } from "./log.ts";
import {
  hasAllParts,
  putSnapshot,
  removeSnapshots,
  snapshotName,
  snapshotsOfLog,
  type SnapshotOptions,
} from "./snapshot-files.ts";

interface NewLogOptions extends SnapshotOptions {
  /** The log that ends with this one. */
  replaces?: string | undefined;
}

/** Undoes `markReplica`. */
const restoreMark = (path: string, before: ReplicaMark | undefined): void =>
  changeAlone(path, (client) => (before ? markReplica(client, before) : unmarkReplica(client)));

/**
 * Starts a log whose first snapshot is this database, which no other process may use, and makes it a replica. Run it again
 * after a crash: it begins another log unless this one was created.
 * @returns false if there is a log already, other than `replaces`: the database is then as it was
 */
export const startLog = async (
  path: string,
  log: Log,
  { replaces, ...options }: NewLogOptions,
): Promise<boolean> => {
  const mark: ReplicaMark = { log: crypto.randomUUID(), position: 0, id: crypto.randomUUID(), checksum: "" };
  const store = options.objects ?? log.files;
  let before: ReplicaMark | undefined;
  let name = "";
  changeAlone(path, (client) => {
    ensureStoreId(client);
    name = snapshotName(snapshotsOfLog(storeIdOf(client) ?? "", mark.log), 0, "first");
    before = replicaMark(client);
    markReplica(client, mark);
  });
  const put = () => putSnapshot(path, name, log, options);
  const parts = await put();
  const isCreated = await log.create({ ...mark, reference: JSON.stringify(parts) }, replaces);
  // If the response to `create` was lost, it ran again.
  if (!isCreated && (await log.head())?.log !== mark.log) {
    restoreMark(path, before);
    await removeSnapshots(store, `${name}/`, () => false);
    return false;
  }
  // A node of the log that was replaced may have removed parts that it knew nothing of.
  if (!(await hasAllParts(parts, store))) await put();
  return true;
};

/** Starts a log from a new, empty database. @returns false if another node was first */
const startEmptyLog = (path: string, log: Log, options: SnapshotOptions): Promise<boolean> =>
  withCopy(path, async (copy) => {
    createDatabase(copy);
    if (!(await startLog(copy, log, options))) return false;
    await putInPlace(path, copy);
    return true;
  });

/** The file's state before the start. */
type Found = ReplicaMark | "nothing" | "embedded" | "outdated";

const findReplica = (path: string): Found => {
  if (isMarkedOutdated(path)) return "outdated";
  // The log of an empty file may hold a whole database.
  if (!existsSync(path) || (fileSize(path) === 0 && fileSize(`${path}-wal`) === 0)) return "nothing";
  using client = openExisting(path);
  return replicaMark(client) ?? (isEmptyDatabase(client) ? "nothing" : "embedded");
};

/** The reason why the replica cannot continue from its position; undefined if it can. */
const outdatedReason = async (mark: ReplicaMark, head: Head, log: Log): Promise<string | undefined> => {
  if (mark.log !== head.log) return "the cluster has begun another log";
  if (mark.position > head.position || (mark.position === head.position && mark.id !== head.id))
    return "it has a record that the engine lost";
  try {
    await log.read(mark, 1);
    return undefined;
  } catch (error) {
    if (error instanceof LogTrimmed) return "the records that it lacks were removed from the log";
    throw error;
  }
};

const refuseWithoutLog = (path: string, found: Found): never => {
  throw new OperatorError(
    found === "embedded"
      ? `${path} is an embedded store, not a replica: make it the cluster's with adoption-store cluster join, or move it away`
      : `the engine has no log, and ${path} is a replica of one: check DATABASE_URL; if the engine has lost it, start another from this file with adoption-store cluster join`,
  );
};

interface StartOptions extends SnapshotOptions {
  /** Called when the snapshot has to be loaded or made. */
  onStep?: ((reason: string) => void) | undefined;
  /** Called before a snapshot is loaded, which may take minutes. */
  onLoad?: (() => Promise<unknown>) | undefined;
}

const load = async (path: string, log: Log, { onLoad, ...options }: StartOptions): Promise<void> => {
  await onLoad?.();
  await loadSnapshot(path, log, options);
};

const makeReplica = async (path: string, log: Log, { onStep, ...options }: StartOptions): Promise<void> => {
  if ((await log.head()) === undefined) {
    onStep?.("the engine has no log: starting one with an empty database");
    if (await startEmptyLog(path, log, options)) return;
  }
  onStep?.("loading the cluster's snapshot");
  await load(path, log, options);
};

/**
 * Makes the replica in this file ready to be opened: loads the newest snapshot if the file is missing or cannot continue
 * from its position, and starts a missing log. No process may have the file open. It may be run again after a crash.
 * @throws OperatorError if the file is not a replica of this cluster; EngineUnavailable if the file is not usable either
 */
export const startReplica = async (path: string, log: Log, options: StartOptions = {}): Promise<void> => {
  removeCopy(path);
  const found = findReplica(path);
  if (found === "nothing") return makeReplica(path, log, options);
  if (found === "embedded") return refuseWithoutLog(path, found);
  try {
    const head = await log.head();
    if (!head) return refuseWithoutLog(path, found);
    const reason = found === "outdated" ? "it was marked" : await outdatedReason(found, head, log);
    if (reason === undefined) return;
    options.onStep?.(`the replica is outdated (${reason}): loading the cluster's snapshot`);
  } catch (error) {
    // It can be opened, and responds 503 until the engine is reachable again.
    if (error instanceof EngineUnavailable && found !== "outdated") return;
    throw error;
  }
  await load(path, log, options);
};
