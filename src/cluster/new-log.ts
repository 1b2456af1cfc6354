import { createDatabase } from "../db/new-database.ts";
import {
  type ReplicaMark,
  changeAlone,
  markReplica,
  replicaMark,
  unmarkReplica,
} from "../db/replica-mark.ts";
import { ensureStoreId, storeIdOf } from "../db/store-id.ts";
import { type LoadOptions, copyPath, putInPlace, removeCopy } from "./load-snapshot.ts";
import type { Log } from "./log.ts";
import {
  type SnapshotStore,
  hasAllParts,
  putSnapshot,
  removeSnapshots,
  snapshotName,
  snapshotsOfLog,
} from "./snapshot-files.ts";

export interface NewLogOptions extends LoadOptions {
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
  { replaces, objects, signal, onProgress }: NewLogOptions,
): Promise<boolean> => {
  const mark: ReplicaMark = { log: crypto.randomUUID(), position: 0, id: crypto.randomUUID(), checksum: "" };
  const store: SnapshotStore = objects ?? log.files;
  let before: ReplicaMark | undefined;
  let name = "";
  changeAlone(path, (client) => {
    ensureStoreId(client);
    name = snapshotName(snapshotsOfLog(storeIdOf(client) ?? "", mark.log), 0, "first");
    before = replicaMark(client);
    markReplica(client, mark);
  });
  const put = () =>
    putSnapshot(path, store, { store: objects ? "objects" : "engine", name, signal, onProgress });
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
export const startEmptyLog = async (path: string, log: Log, options: LoadOptions): Promise<boolean> => {
  const copy = copyPath(path);
  removeCopy(path);
  try {
    createDatabase(copy);
    if (!(await startLog(copy, log, options))) return false;
    await putInPlace(path, copy);
    return true;
  } finally {
    removeCopy(path);
  }
};
