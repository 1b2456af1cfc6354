import { existsSync } from "node:fs";
import { assertCurrent, isEmptyDatabase } from "../db/migrate.ts";
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
import { checkFile } from "./contents.ts";
import { EngineUnavailable, type Head, type Log, LogTrimmed } from "./log.ts";
import {
  isMarkedOutdated,
  keptPath,
  loadSnapshot,
  markKept,
  markOf,
  putInPlace,
  removeCopy,
  removeOutdatedMark,
  withCopy,
} from "./load-snapshot.ts";
import {
  hasAllParts,
  putSnapshot,
  removeSnapshots,
  snapshotName,
  type SnapshotOptions,
  snapshotsOfLog,
} from "./snapshot-files.ts";
import { assertSound } from "../db/integrity.ts";
import { migrations } from "../db/migrations.ts";
import { reasonOf } from "../../lib/reason.ts";
import { isDamageOrSchema } from "../../lib/storage-errors.ts";
import { readNodes } from "./nodes.ts";

interface NewLogOptions extends SnapshotOptions {
  /** The log that ends with this one. */
  replaces?: string | undefined;
}

const restoreMark = (path: string, before: ReplicaMark | undefined): void =>
  changeAlone(path, (client) => (before ? markReplica(client, before) : unmarkReplica(client)));

/**
 * Starts a log whose first snapshot is this database, which no other process may use, and makes it a replica. Run it again
 * after a crash: it begins another log unless this one was created.
 * @returns false if there is a log already, other than `replaces`: the database is then as it was
 */
const startLog = async (
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
    const storeId = storeIdOf(client);
    if (storeId === undefined) throw new Error("the store has no id after it was given one");
    name = snapshotName(snapshotsOfLog(storeId, mark.log), 0, "first");
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

type Found = ReplicaMark | "nothing" | "embedded" | "outdated";

const findReplica = (path: string): Found => {
  if (isMarkedOutdated(path)) return "outdated";
  // The log of an empty file may hold a whole database.
  if (!existsSync(path) || (fileSize(path) === 0 && fileSize(`${path}-wal`) === 0)) return "nothing";
  using client = openExisting(path);
  return replicaMark(client) ?? (isEmptyDatabase(client) ? "nothing" : "embedded");
};

/** A file that cannot even be opened is marked. @throws DiskError if the disk fails */
const findUndamaged = async (path: string): Promise<Found> => {
  try {
    return findReplica(path);
  } catch (error) {
    if (!isDamageOrSchema(error)) throw error;
    await markKept(path, "damaged", reasonOf(error));
    return "outdated";
  }
};

/** True if the replica has a record that the engine lost. */
const isNewer = (mark: ReplicaMark, head: Head): boolean =>
  mark.log === head.log &&
  (mark.position > head.position || (mark.position === head.position && mark.id !== head.id));

/** The reason why the replica cannot continue from its position; undefined if it can. */
const outdatedReason = async (mark: ReplicaMark, head: Head, log: Log): Promise<string | undefined> => {
  if (mark.log !== head.log) return "the cluster has begun another log";
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

/** A larger file is checked while it is served: this much takes a few seconds. */
const MAX_CHECKED_BYTES = 256 * 2 ** 20;

/** True if a start checks the whole file before it is served. */
export const isCheckedFirst = (path: string): boolean => fileSize(path) <= MAX_CHECKED_BYTES;

/** The reason why the file must be replaced; undefined if it need not. */
const startFault = async (
  path: string,
  found: ReplicaMark | "outdated",
  head: Head,
  log: Log,
): Promise<string | undefined> => {
  if (found !== "outdated") {
    if (isNewer(found, head)) await markKept(path, "newer", "it has a record that the engine lost");
    else {
      const reason = await outdatedReason(found, head, log);
      if (reason !== undefined || !isCheckedFirst(path)) return reason;
      const checked = await checkFile(path);
      if (checked.state !== "damaged") return undefined;
      await markKept(path, "damaged", checked.reason);
    }
  }
  const { as, reason } = markOf(path);
  return as ? `${reason}; it is kept as ${keptPath(path, as)}` : reason;
};

/** `warn`: something is wrong with the file. */
export type OnStep = (message: string, level?: "info" | "warn") => void;

interface StartOptions extends SnapshotOptions {
  /** Called when the snapshot has to be loaded or made. */
  onStep?: OnStep | undefined;
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
  const found = await findUndamaged(path);
  if (found === "nothing") return makeReplica(path, log, options);
  if (found === "embedded") return refuseWithoutLog(path, found);
  try {
    const head = await log.head();
    if (!head) return refuseWithoutLog(path, found);
    const reason = await startFault(path, found, head, log);
    if (reason === undefined) return;
    options.onStep?.(`the replica is outdated (${reason}): loading the cluster's snapshot`, "warn");
  } catch (error) {
    // It can be opened, and responds 503 until the engine is reachable again.
    if (error instanceof EngineUnavailable && found !== "outdated") return;
    throw error;
  }
  await load(path, log, options);
};

interface JoinOptions extends SnapshotOptions {
  /** Replaces the log that the engine has. Its nodes then start again from this store. */
  replace: boolean;
}

/** @throws OperatorError if the database is damaged, or of another version: every node would get it */
const assertUsable = (client: ReturnType<typeof openExisting>, path: string): void => {
  try {
    assertSound(client);
    assertCurrent(client, migrations);
  } catch (error) {
    throw new OperatorError(`${path} cannot become the cluster's: ${reasonOf(error)}`, { cause: error });
  }
};

const assertNoOther = (head: Head | undefined, replace: boolean): void => {
  if (!head || replace) return;
  throw new OperatorError(
    `the engine has a log already, with ${head.position} records: to join its cluster, move the database of DATA_DIR away and start the server; to replace the cluster's store with this database, add --replace`,
  );
};

/**
 * Makes the embedded store in this file, which no other process may use, the store of a cluster. Run it again after a crash.
 * @returns the log's id, and whether this call began it
 * @throws OperatorError if the engine has a log already
 */
export const joinCluster = async (
  path: string,
  log: Log,
  { replace, ...options }: JoinOptions,
): Promise<{ log: string; isNew: boolean }> => {
  const head = await log.head();
  const client = openExisting(path);
  try {
    const mark = replicaMark(client);
    if (head && mark?.log === head.log && !isNewer(mark, head)) return { log: head.log, isNew: false };
    assertNoOther(head, replace);
    assertUsable(client, path);
  } finally {
    client.close();
  }
  const isNew = await startLog(path, log, { ...options, ...(head && { replaces: head.log }) });
  const now = await log.head();
  if (!isNew || !now) throw new OperatorError("another node began a log meanwhile: run this again");
  return { log: now.log, isNew };
};

interface Leaving {
  /** `current`: the node catches up first; `none`: the file is an embedded store; else the file's log is not in the engine. */
  readonly log: "none" | "current" | "lost" | "replaced";
  /** Names of other nodes that run and stay in the cluster. */
  readonly running: readonly string[];
}

/** @throws EngineUnavailable */
export const inspectLeaving = async (path: string, log: Log): Promise<Leaving> => {
  const client = openExisting(path);
  const mark = replicaMark(client);
  client.close();
  if (!mark) return { log: "none", running: [] };
  const head = await log.head();
  if (!head) return { log: "lost", running: [] };
  const running = (await readNodes(log)).map(({ name }) => name);
  return { log: head.log === mark.log ? "current" : "replaced", running };
};

/** Makes a replica, which no other process may use, an embedded store. It may be run again. */
export const makeEmbedded = (path: string): void => {
  const client = openExisting(path);
  unmarkReplica(client);
  client.close();
  removeOutdatedMark(path);
};
