import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { replicaMark } from "../db/replica-mark.ts";
import { openExisting } from "../db/snapshot.ts";
import { storeIdOf } from "../db/store-id.ts";
import { syncDirectory, syncPath, writeDurably } from "../../lib/durable.ts";
import { fileSize } from "../../lib/files.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import type { Keeping, Log, Snapshot } from "./log.ts";
import {
  getSnapshot,
  parseReference,
  SnapshotDamaged,
  type SnapshotOptions,
  type SnapshotParts,
  type SnapshotStore,
} from "./snapshot-files.ts";

const outdatedPath = (path: string): string => `${path}.outdated`;
/** The copy of a database that a snapshot is written to or made from, until it has its name. */
const copyPath = (path: string): string => `${path}.snapshot`;

export const removeCopy = (path: string): void => {
  for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(copyPath(path) + end, { force: true });
};

/** Runs work on a new copy, and removes the remains of one, also those of a killed process. */
export const withCopy = async <Result>(
  path: string,
  work: (copy: string) => Promise<Result>,
): Promise<Result> => {
  removeCopy(path);
  try {
    return await work(copyPath(path));
  } finally {
    removeCopy(path);
  }
};

/**
 * Records that the replica in this file must be rebuilt. The mark is a separate file, because the database may be damaged,
 * and the mark must outlive a crash while the database is replaced.
 */
export const markOutdated = (path: string, reason: string): Promise<void> =>
  writeDurably(outdatedPath(path), `${reason}\n`);

/** The file of a replica that was set aside, until the next one of the same kind. */
export const keptPath = (path: string, as: Keeping): string => `${path}.${as}`;

const KEEPINGS: readonly Keeping[] = ["damaged", "newer"];

/** They cannot be rewritten after the erasure of a person. */
export const removeKept = (path: string): void => {
  for (const as of KEEPINGS)
    for (const end of ["", "-wal"]) rmSync(keptPath(path, as) + end, { force: true });
};

/** As `markOutdated`; the file is then kept when it is replaced. */
export const markKept = (path: string, as: Keeping, reason: string): Promise<void> =>
  markOutdated(path, `${as}: ${reason}`);

/** Why a marked file is rebuilt, and the suffix under which it is then kept, if any. */
export const markOf = (path: string): { reason: string; as?: Keeping | undefined } => {
  const text = readFileSync(outdatedPath(path), "utf8").trim();
  const as = KEEPINGS.find((one) => text.startsWith(`${one}: `));
  return { as, reason: as ? text.slice(as.length + 2) : text };
};

/** Moves the files of a replica away, for an operator. Those of an earlier one are replaced. It may be run again after a crash. */
const setAside = (path: string, as: Keeping): void => {
  const kept = keptPath(path, as);
  if (existsSync(path)) {
    rmSync(`${kept}-wal`, { force: true });
    renameSync(path, kept);
  }
  // The newest writes may only be in the log.
  if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${kept}-wal`);
  rmSync(`${path}-shm`, { force: true });
};

export const removeOutdatedMark = (path: string): void => rmSync(outdatedPath(path), { force: true });

export const isMarkedOutdated = (path: string): boolean => existsSync(outdatedPath(path));

const storeOf = ({ store }: SnapshotParts, log: Log, objects: SnapshotStore | undefined): SnapshotStore => {
  if (store === "engine") return log.files;
  if (objects) return objects;
  throw new OperatorError(
    "the cluster's snapshot is in object storage: set BLOBS_URL, as on the other nodes",
  );
};

const storeIdAt = (path: string): string | undefined => {
  if (fileSize(path) === 0) return undefined;
  try {
    using client = openExisting(path);
    return storeIdOf(client);
  } catch {
    return undefined;
  }
};

/** @throws SnapshotDamaged if the copy is not the database that was announced */
const assertAnnounced = (copy: string, { log, position, id, checksum }: Snapshot): void => {
  using client = openExisting(copy, { readonly: true });
  if (!Bun.deepEquals(replicaMark(client), { log, position, id, checksum }))
    throw new SnapshotDamaged("the snapshot is of another position than the engine says");
};

const assertSameStore = (path: string, copy: string): void => {
  const [own, other] = [storeIdAt(path), storeIdAt(copy)];
  // The id of a damaged file may be wrong, and nothing is lost: the file is kept.
  const isKept = isMarkedOutdated(path) && markOf(path).as !== undefined;
  if (own === undefined || own === other || isKept) return;
  throw new OperatorError(
    `${path} is of another store (${own}) than the cluster (${other}): check DATABASE_URL, or move the file away to begin with the cluster's`,
  );
};

/** Puts a complete copy in the place of the database, whose log and index would otherwise be applied to it. */
export const putInPlace = async (path: string, copy: string): Promise<void> => {
  await syncPath(copy);
  // From here until the end, the files may be of two databases.
  const as = isMarkedOutdated(path) ? markOf(path).as : undefined;
  if (as) setAside(path, as);
  else if (existsSync(path)) await markOutdated(path, "it is being replaced");
  for (const end of ["-wal", "-shm", "-journal"]) rmSync(path + end, { force: true });
  renameSync(copy, path);
  syncDirectory(dirname(path));
  removeOutdatedMark(path);
};

const load = (path: string, log: Log, snapshot: Snapshot, options: SnapshotOptions): Promise<void> =>
  withCopy(path, async (copy) => {
    const parts = parseReference(snapshot.reference);
    await getSnapshot(parts, storeOf(parts, log, options.objects), copy, options);
    assertAnnounced(copy, snapshot);
    assertSameStore(path, copy);
    await putInPlace(path, copy);
  });

/** Replaces the database with the newest snapshot. It may be run again after a crash. @throws OperatorError, EngineUnavailable */
export const loadSnapshot = async (path: string, log: Log, options: SnapshotOptions): Promise<Snapshot> => {
  for (let before: string | undefined; ;) {
    const snapshot = await log.snapshot();
    if (!snapshot) throw new OperatorError("the cluster's engine has no snapshot any more");
    try {
      await load(path, log, snapshot, options);
      return snapshot;
    } catch (error) {
      // A newer one may have replaced it meanwhile, and its parts were removed.
      if (!(error instanceof SnapshotDamaged)) throw error;
      if (before === snapshot.reference)
        throw new OperatorError(
          `the cluster's snapshot cannot be loaded (${error.message}): stop the server of a node that works, run adoption-store cluster leave and then adoption-store cluster join --replace there, which makes a new one`,
          {
            cause: error,
          },
        );
      before = snapshot.reference;
    }
  }
};
