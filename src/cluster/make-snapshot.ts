import { dirname } from "node:path";
import { copyAside } from "../db/copy-aside.ts";
import { type ReplicaMark, replicaMark } from "../db/replica-mark.ts";
import { openExisting } from "../db/snapshot.ts";
import { LogTrimmed } from "./errors.ts";
import { type LoadOptions, copyPath, removeCopy } from "./load-snapshot.ts";
import type { Log, Snapshot } from "./log.ts";
import {
  SNAPSHOTS,
  type SnapshotParts,
  parseReference,
  putSnapshot,
  removeSnapshots,
  snapshotName,
  snapshotsBeside,
} from "./snapshot-files.ts";

export interface MakeOptions extends LoadOptions {
  /** Identifies this node: what it left behind when it was killed is known by it. */
  node: string;
}

/** True if the log has the record that this copy ends with: after a failover, the copy may have one that the engine lost. */
const isInLog = async (log: Log, { position, ...mark }: ReplicaMark): Promise<boolean> => {
  try {
    const [record] = await log.read({ log: mark.log, position: position - 1 }, 1);
    return record?.id === mark.id;
  } catch (error) {
    if (error instanceof LogTrimmed) return false;
    throw error;
  }
};

/** The stores that may have parts of snapshots: object storage may have been set only later. */
const cleanUp = async (
  log: Log,
  { objects }: Pick<MakeOptions, "objects">,
  newest: string,
  isKept: (name: string) => boolean,
) => {
  await removeSnapshots(log.files, SNAPSHOTS, isKept);
  if (objects) await removeSnapshots(objects, snapshotsBeside(newest), isKept);
};

/**
 * What no node can start from any more: other logs, older snapshots, and what this node began before it was killed. What other
 * nodes have begun may still be announced.
 */
const isObsolete = (name: string, { name: before }: SnapshotParts, node: string): boolean =>
  name !== before && (dirname(name) !== dirname(before) || name < before || name.endsWith(`.${node}`));

const markOf = (copy: string): ReplicaMark => {
  using client = openExisting(copy, { readonly: true });
  const mark = replicaMark(client);
  if (!mark) throw new Error("the database is not a replica");
  return mark;
};

/** Removes all parts but those of these snapshots. */
const keepOnly = (
  log: Log,
  options: Pick<MakeOptions, "objects">,
  newest: Snapshot,
  before: Snapshot = newest,
) => {
  const [kept, keptBefore] = [parseReference(newest.reference), parseReference(before.reference)];
  return cleanUp(log, options, kept.name, (name) => name === kept.name || name === keptBefore.name);
};

/** Removes all records that the newest snapshot covers, and all other snapshots: nothing older is left in them. */
export const forgetBefore = async (log: Log, snapshot: Snapshot, options: Pick<MakeOptions, "objects">) => {
  await keepOnly(log, options, snapshot);
  await log.trim(snapshot.position);
};

/**
 * Makes a snapshot of the replica in this file, which a server may use meanwhile, and removes the records that it makes
 * needless. A node that is behind by less than the last snapshot still finds its records, and one that loads that snapshot goes
 * on from it. A crash leaves parts that this node, or the next snapshot of another one, removes.
 * @returns undefined if no record came since the last snapshot, or another node was first
 */
export const makeSnapshot = async (
  path: string,
  log: Log,
  options: MakeOptions,
): Promise<Snapshot | undefined> => {
  const { node, objects, signal, onProgress } = options;
  const before = await log.snapshot();
  if (!before) return undefined;
  const partsBefore = parseReference(before.reference);
  await cleanUp(log, options, partsBefore.name, (name) => !isObsolete(name, partsBefore, node));
  const copy = copyPath(path);
  removeCopy(path);
  try {
    await copyAside(path, copy, signal);
    const mark = markOf(copy);
    if (mark.log !== before.log || mark.position <= before.position) return undefined;
    const parts = await putSnapshot(copy, objects ?? log.files, {
      store: objects ? "objects" : "engine",
      name: snapshotName(dirname(partsBefore.name), mark.position, node),
      signal,
      onProgress,
    });
    signal?.throwIfAborted();
    const snapshot = { ...mark, reference: JSON.stringify(parts) };
    if (!(await isInLog(log, mark)) || !(await log.announce(snapshot))) return undefined;
    await keepOnly(log, options, snapshot, before);
    // The last step: with it, an engine lets go of all that was removed.
    await log.trim(before.position);
    return snapshot;
  } finally {
    removeCopy(path);
  }
};
