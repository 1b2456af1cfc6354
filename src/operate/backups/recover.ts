import {
  constants,
  copyFileSync,
  createReadStream,
  existsSync,
  lstatSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { defaultConfigPath } from "../../config/file.ts";
import { assertDataDir, assertDatabase, makeDataDir } from "../../data/data-dir/checks.ts";
import { isDataDirLocked, lockForRestore } from "../../data/data-dir/lock.ts";
import {
  adminKeyPath,
  databasePath,
  domainConnectKeyPath,
  lockPath,
  recoveringPath,
  repairingPath,
  restoringPath,
} from "../../data/data-dir/paths.ts";
import { fullDiskAdvice } from "../../data/data-dir/storage.ts";
import { lastEventId, restartEventIds } from "../../data/db/backup-contents.ts";
import { type DifferingName, derivedDifferences, differingNames } from "../../data/db/derived.ts";
import type { Lock } from "../../data/db/file-lock.ts";
import { assertSound } from "../../data/db/integrity.ts";
import { holderOf } from "../../data/db/other-processes.ts";
import { openForReading } from "../../data/db/readonly.ts";
import { openCopy } from "../../data/db/snapshot.ts";
import { manifestsOf } from "../../data/db/stored-deploys.ts";
import { type SalvageReport, hasLoss, rowsIn, salvage } from "../../data/recovery/salvage.ts";
import { replaceFile, syncDirectory, syncPath } from "../../lib/durable.ts";
import { isAllowed } from "../../lib/files.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { createEmpty, inheritOwner } from "../../lib/ownership.ts";
import { isFull } from "../../lib/storage-errors.ts";
import { isInside, nearestExisting } from "./destination.ts";
import { fileTime } from "./file-names.ts";
import { idAbove } from "./restore.ts";
import { type OnProgress, type SiteFiles, blobsIn, isSound, neededFiles } from "./site-files.ts";

/** Renames a database and its log in this order, also after a power cut. */
const move = (from: string, to: string, ends: readonly string[]): void => {
  for (const end of ends.filter((one) => existsSync(from + one))) {
    renameSync(from + end, to + end);
    syncDirectory(dirname(to));
  }
};

const damagedPath = (path: string, time: number): string => `${path}.damaged-${fileTime(time)}`;

/**
 * Renames the damaged database and its log. Until another takes its place, no server starts.
 * First the database: SQLite would delete a log that stays without one, or apply it to the new one.
 */
const setAside = (path: string, repairing: string): void => {
  move(path, repairing, ["", "-wal"]);
  rmSync(`${path}-shm`, { force: true });
};

/** Ends a repair that was interrupted: with its new database, or else with the old one and its log, which comes first. */
const endInterrupted = (path: string, repairing: string): void => {
  const target = existsSync(path) ? damagedPath(path, statSync(repairing).ctimeMs) : path;
  move(repairing, target, ["-wal", ""]);
};

/** Names the file system that is full. */
const explained = (error: unknown, directory: string): unknown =>
  isFull(error) ? new OperatorError(`${directory}: ${fullDiskAdvice(directory)}`, { cause: error }) : error;

const assertNotOpen = (path: string): void => {
  const holder = holderOf(path);
  if (holder !== undefined)
    throw new OperatorError(`${path}: ${holder} is using it: end that process, then try again`);
};

/** Keeps servers and commands from changing the damaged store. */
const lockDamaged = (dataDir: string): Lock => {
  // Where there is no lock file, taking the lock opens the database, which changes a damaged one.
  if (isAllowed(dataDir, constants.W_OK)) createEmpty(lockPath(dataDir));
  return lockForRestore(dataDir);
};

/** In a directory that is read-only, no server and no command starts. */
const lockSource = (dataDir: string): Lock | undefined => {
  if (isAllowed(dataDir, constants.W_OK)) return lockDamaged(dataDir);
  if (!isDataDirLocked(dataDir)) return undefined;
  throw new OperatorError(`DATA_DIR ${dataDir}: a server is using it: stop that server, then try again`);
};

/** Why a repair would lose rows; undefined if it would not. */
const lossIn = ({ tables, lostFrames }: SalvageReport): string | undefined => {
  const damaged = tables.filter(hasLoss).map(({ table }) => table);
  if (damaged.length > 0) return `rows of ${damaged.join(", ")} are damaged`;
  return lostFrames > 0 ? "the log of the latest writes is damaged" : undefined;
};

/** Compares a database with itself, as far as SQLite can read it. */
const examine = (path: string): { isIntact: boolean; names: DifferingName[] } => {
  let names: DifferingName[] = [];
  try {
    using client = openForReading(path);
    names = differingNames(client);
    assertSound(client);
    return { isIntact: derivedDifferences(client).length === 0, names };
  } catch {
    return { isIntact: false, names };
  }
};

/**
 * Rebuilds everything that derives from the rows of a database: indexes, search words, counts and names. The damaged file and its
 * log are kept under another name.
 * @param onNames gets the differing names before the list by name is rebuilt
 * @returns that name; undefined if the database was intact, and was not changed
 * @throws OperatorError if a row is damaged: then nothing is changed
 */
export const repairDatabase = async (
  dataDir: string,
  now: number,
  onProgress: OnProgress,
  onNames: (names: readonly DifferingName[]) => void = () => {},
): Promise<{ aside: string | undefined; report: SalvageReport }> => {
  assertDataDir(dataDir);
  const [path, repairing] = [databasePath(dataDir), repairingPath(dataDir)];
  const isInterrupted = existsSync(repairing);
  if (!isInterrupted) assertDatabase(dataDir, { create: false });
  const lock = lockDamaged(dataDir);
  try {
    assertNotOpen(path);
    if (isInterrupted) endInterrupted(path, repairing);
    const temporary = restoringPath(dataDir);
    const report = salvage(path, temporary, onProgress);
    if (report.isReplica)
      throw new OperatorError(
        `${path} is a replica of a cluster: move it away, and the server loads a new one from the cluster`,
      );
    const loss = lossIn(report);
    if (loss !== undefined)
      throw new OperatorError(
        `${loss}, so nothing was changed: run adoption-store recover NEW_DIR, which saves the readable rows and names the others, or restore a backup with adoption-store restore FILE`,
      );
    const { isIntact, names } = examine(path);
    if (isIntact) {
      rmSync(temporary);
      return { aside: undefined, report };
    }
    if (names.length > 0) onNames(names);
    setAside(path, repairing);
    await replaceFile(temporary, path);
    const aside = damagedPath(path, now);
    move(repairing, aside, ["-wal", ""]);
    return { aside, report };
  } catch (error) {
    throw explained(error, dataDir);
  } finally {
    lock.release();
  }
};

/** The files of an interrupted recovery. */
const REMAINS =
  /^(server\.lock|blobs|admin\.key|domain-connect\.key|adoption-store\.(toml|db\.(recovering|restoring.*)))$/;

/** @throws OperatorError unless the directory is apart from DATA_DIR, and new, empty or that of an interrupted recovery */
const assertTarget = (dataDir: string, target: string): void => {
  if (isInside(nearestExisting(resolve(target)), dataDir))
    throw new OperatorError(`${target} is in DATA_DIR: name another directory`);
  const names = existsSync(target) ? readdirSync(target) : [];
  if (names.length > 0 && !(existsSync(recoveringPath(target)) && names.every((name) => REMAINS.test(name))))
    throw new OperatorError(`${target} is not empty: name a new directory`);
};

/** Copies the sound files of all deploys. */
const copySiteFiles = async (
  [source, target]: readonly [string, string],
  manifests: readonly string[],
  onProgress: OnProgress,
): Promise<SiteFiles> => {
  const blobs = blobsIn(source);
  const sites: SiteFiles = { files: 0, bytes: 0, missing: 0 };
  const needed = await neededFiles(blobs, manifests);
  if (needed.length === 0) return sites;
  const writer = blobsIn(target).openWriter();
  try {
    for (const [at, hash] of needed.entries()) {
      onProgress(`Sites: ${at} of ${needed.length} files`);
      if (await isSound(blobs, hash)) {
        const { size } = await writer.put(createReadStream(blobs.pathOf(hash)) as AsyncIterable<Uint8Array>);
        sites.files++;
        sites.bytes += size;
      } else sites.missing++;
    }
    await writer.flush();
    writer.close();
    return sites;
  } catch (error) {
    writer.discard();
    throw error;
  }
};

/** Without some animals or events, clients of the event stream must read all animals again. */
const restartEvents = (path: string, { tables }: SalvageReport, now: number): void => {
  if (!tables.some((one) => /^pet(s|_events)$/.test(one.table) && hasLoss(one))) return;
  using copy = openCopy(path);
  const last = lastEventId(copy);
  restartEventIds(copy, idAbove(now, last));
  const events = tables.find(({ table }) => table === "pet_events");
  if (events && last > 0)
    Object.assign(events, { saved: 0, missing: [{ from: 1, to: last }], refused: [], garbled: [] });
};

/** The manifests of all deploys. */
const manifestsIn = (path: string): string[] => {
  using copy = openCopy(path);
  return manifestsOf(copy);
};

/** Copies the keys and the settings. Does not follow symbolic links: root would give away the files of others. */
const copyTopFiles = async (source: string, target: string): Promise<void> => {
  for (const pathOf of [adminKeyPath, domainConnectKeyPath, defaultConfigPath]) {
    if (!lstatSync(pathOf(source), { throwIfNoEntry: false })?.isFile()) continue;
    copyFileSync(pathOf(source), pathOf(target));
    inheritOwner(pathOf(target));
    await syncPath(pathOf(target));
  }
};

/**
 * Saves every readable row of a damaged database, the files of its sites, its keys and its settings in a new DATA_DIR. Only locks
 * the old one.
 * @throws OperatorError
 */
export const recoverInto = async (dataDir: string, target: string, now: number, onProgress: OnProgress) => {
  assertDataDir(dataDir);
  assertDatabase(dataDir, { create: false });
  assertTarget(dataDir, target);
  const path = databasePath(dataDir);
  const sourceLock = lockSource(dataDir);
  let lock: Lock | undefined;
  try {
    assertNotOpen(path);
    makeDataDir(target);
    inheritOwner(target, dataDir);
    createEmpty(recoveringPath(target));
    lock = lockForRestore(target);
    const temporary = restoringPath(target);
    const report = salvage(path, temporary, onProgress);
    if (rowsIn(report) === 0)
      throw new OperatorError(
        `${path}: no row is readable: restore a backup with adoption-store restore FILE`,
      );
    restartEvents(temporary, report, now);
    const manifests = manifestsIn(temporary);
    const sites = await copySiteFiles([dataDir, target], manifests, onProgress);
    await copyTopFiles(dataDir, target);
    await replaceFile(temporary, databasePath(target));
    rmSync(recoveringPath(target));
    lock.release();
    return { dataDir: target, report, sites };
  } catch (error) {
    lock?.release();
    // It was empty, or had the remains of a recovery.
    if (lock) for (const name of readdirSync(target)) rmSync(join(target, name), { recursive: true });
    throw explained(error, target);
  } finally {
    sourceLock?.release();
  }
};

export type Recovered = Awaited<ReturnType<typeof recoverInto>>;
