import { createDatabase } from "../db/new-database.ts";
import { type ReplicaMark, changeAlone, markReplica, unmarkReplica } from "../db/replica-mark.ts";
import { type LoadOptions, copyPath, putInPlace, removeCopy } from "./load-snapshot.ts";
import type { Log } from "./log.ts";
import { type SnapshotStore, putSnapshot, removeSnapshots, snapshotName } from "./snapshot-files.ts";

export interface NewLogOptions extends LoadOptions {
  /** The log that ends with this one. */
  replaces?: string | undefined;
}

/**
 * Starts a log whose first snapshot is this database, which no other process may use, and makes it a replica. Run it again
 * after a crash: it begins another log unless this one was created.
 * @returns false if there is a log already, other than `replaces`: the database then stays embedded
 */
export const startLog = async (
  path: string,
  log: Log,
  { replaces, objects, signal, onProgress }: NewLogOptions,
): Promise<boolean> => {
  const mark: ReplicaMark = { log: crypto.randomUUID(), position: 0, id: crypto.randomUUID(), checksum: "" };
  const name = snapshotName(mark.log, 0, "first");
  const store: SnapshotStore = objects ?? log.files;
  changeAlone(path, (client) => markReplica(client, mark));
  const where = { store: objects ? "objects" : "engine", name } as const;
  const parts = await putSnapshot(path, store, { ...where, signal, onProgress });
  if (await log.create({ ...mark, reference: JSON.stringify(parts) }, replaces)) return true;
  // The response to `create` may have been lost, and it ran again.
  if ((await log.head())?.log === mark.log) return true;
  changeAlone(path, unmarkReplica);
  await removeSnapshots(store, (other) => other !== name);
  return false;
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
