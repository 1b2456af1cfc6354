import { renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { assertDataDir, assertDatabase } from "../../data/data-dir/checks.ts";
import { assertNotBeingRestored } from "../../data/data-dir/lock.ts";
import { clockJump } from "../../data/data-dir/clock.ts";
import { databasePath } from "../../data/data-dir/paths.ts";
import { freeBytes, fullDiskAdvice, hasNoInodes, openError } from "../../data/data-dir/storage.ts";
import {
  addDigestField,
  backupFiles,
  endSessions,
  hasSecrets,
  noteOrigin,
  removeSecrets,
} from "../../data/db/backup-contents.ts";
import { DiskError, asDiskError, explainFailure, hasFailedToRead } from "../../data/db/failures.ts";
import { UnsoundDatabase, assertSound } from "../../data/db/integrity.ts";
import { type Client, copyInto, openCopy, openExisting, sizeOf } from "../../data/db/snapshot.ts";
import { storeIdOf } from "../../data/db/store-id.ts";
import { manifestsOf } from "../../data/db/stored-deploys.ts";
import type { Blobs } from "../../platform/deploys/blobs.ts";
import { syncDirectory } from "../../lib/durable.ts";
import { Fault } from "../../lib/errors.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { inheritOwner } from "../../lib/ownership.ts";
import { reasonOf } from "../../lib/reason.ts";
import { isBusy, isDamage, isForbidden, isFull, resultCode } from "../../lib/storage-errors.ts";
import { backupsIn } from "./backup-directory.ts";
import {
  assertDestination,
  assertExtension,
  claimTemporary,
  isInside,
  moveIntoPlace,
  removeTemporary,
} from "./destination.ts";
import { digestPath, removeBackup, sealBackup, writeDigest } from "./digest.ts";
import { surplus, temporaryName } from "./file-names.ts";
import {
  type OnProgress,
  type SiteFiles,
  type SiteStorage,
  addSiteFiles,
  blobsIn,
  fetchMissing,
  neededFiles,
  totalBytes,
} from "./site-files.ts";

const lockedError = (dataDir: string) =>
  new OperatorError(`DATA_DIR ${dataDir}: another process has locked the database: try again`);

const unsoundError = (dataDir: string, error: unknown) =>
  new OperatorError(
    `DATA_DIR ${dataDir}: the database cannot be backed up: ${reasonOf(error)}. Run adoption-store doctor.`,
    { cause: error },
  );

/** Opens the database of DATA_DIR to back it up. @throws OperatorError */
const openSource = (dataDir: string): Client => {
  assertDataDir(dataDir);
  assertDatabase(dataDir, { create: false });
  assertNotBeingRestored(dataDir);
  try {
    return openExisting(databasePath(dataDir));
  } catch (error) {
    throw openError(dataDir, error);
  }
};

/**
 * Reads once, which opens the log, so that a fault of the database is not reported as a fault of the backup's directory.
 * @throws OperatorError
 */
const assertReadable = (source: Client, dataDir: string): void => {
  try {
    sizeOf(source);
  } catch (caught) {
    const error = asDiskError(source, caught);
    if (isBusy(error)) throw lockedError(dataDir);
    if (isDamage(error)) throw unsoundError(dataDir, error);
    throw openError(dataDir, error);
  }
};

const asMegabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;

/** @param needed the backup's size in bytes; 0 if it is still unknown */
const noRoomError = (directory: string, needed: number) =>
  new OperatorError(
    hasNoInodes(directory)
      ? `${directory}: ${fullDiskAdvice(directory)}, or choose another directory`
      : `${directory} has no room for the backup${needed > 0 ? `, which needs about ${asMegabytes(needed)}` : ""}: make room there, or choose another directory`,
  );

/** The bytes that a backup of the database needs. Leaving out private keys takes a second copy. */
const databaseSpace = (source: Client, { secrets }: { secrets: boolean }): number =>
  sizeOf(source) * (!secrets && hasSecrets(source) ? 2 : 1);

/**
 * @param reserve bytes that stay free on the file system of DATA_DIR
 * @throws OperatorError if the directory of the file has fewer free bytes than `needed`
 */
const assertRoom = (
  { file, dataDir, reserve }: { file: string; dataDir: string; reserve: number },
  needed: number,
): void => {
  const directory = dirname(file);
  const isShared = statSync(directory).dev === statSync(dataDir).dev;
  if (freeBytes(directory) < needed + (isShared ? reserve : 0)) throw noRoomError(directory, needed);
};

export interface BackupOptions {
  dataDir: string;
  /** The file to write; its directory must exist. */
  file: string;
  force: boolean;
  /** Includes the private keys of certificates and of ACME accounts. */
  secrets: boolean;
  sites: boolean;
  /** The storage of those files; undefined: DATA_DIR alone. */
  storage?: SiteStorage | undefined;
  /** The caller copies the file and removes it, so no digest is stored next to it. */
  isTemporary?: boolean;
  /** Bytes that stay free on the file system of DATA_DIR. */
  reserve: number;
  /** How many backups of this store stay in the directory of the file; undefined: all. */
  keep?: number | undefined;
  now: number;
  /** Called before each step, and often during a step with its counts. */
  onProgress: OnProgress;
}

export interface BackupResult {
  file: string;
  bytes: number;
  /** The SHA-256 of the file, which is also next to it in `FILE.sha256`. */
  sha256: string;
  /** The fate of private keys; `none` if the database has none. */
  secrets: "included" | "left_out" | "none";
  /** Undefined for a backup without the files of sites. */
  sites: SiteFiles | undefined;
  /** Names of the older backups that were removed. */
  removed: string[];
  /** Names of backups that `keep` does not count: they belong to another store, have no store id, or are damaged. */
  leftAlone: string[];
}

/**
 * Backs up the committed state. The backup is checked before it gets its name. A server may run and write meanwhile.
 * @throws OperatorError, and removes its files
 */
export const takeBackup = async (options: BackupOptions): Promise<BackupResult> => {
  const { dataDir, file, force, now } = options;
  // Only this user may read the files, even before they get their final mode.
  process.umask(0o077);
  const source = openSource(dataDir);
  let needed = 0;
  try {
    assertDestination(file, dataDir);
    assertExtension(file, dataDir);
    const directory = dirname(file);
    const temporary = join(directory, temporaryName(process.pid));
    // Before the free space is checked: the files of a killed backup may take it up.
    const claim = claimTemporary(directory, now);
    try {
      assertReadable(source, dataDir);
      const { blobs } = options.storage ?? { blobs: blobsIn(dataDir) };
      const hashes = options.sites ? await neededFiles(blobs, manifestsOf(source)) : [];
      await fetchMissing(blobs, hashes, (done, of) =>
        options.onProgress(`Fetching the sites: ${done} of ${of} files`),
      );
      needed = databaseSpace(source, options) + totalBytes(blobs, hashes);
      assertRoom(options, needed);
      const contents = await writeContents(options, source, temporary, { blobs, fileCount: hashes.length });
      const sha256 = sealBackup(temporary);
      if (isInside(directory, dataDir)) inheritOwner(temporary);
      // After a power cut too, no digest of an older file may be next to the new one.
      if (force) rmSync(digestPath(file), { force: true });
      syncDirectory(directory);
      await moveIntoPlace(temporary, file, { force });
      if (!options.isTemporary) await writeDigest(file, sha256);
      const rotation = rotate(options, storeIdOf(source), !contents.sites?.missing);
      return { file, bytes: statSync(file).size, sha256, ...contents, ...rotation };
    } finally {
      removeTemporary(directory, process.pid);
      claim.release();
    }
  } catch (error) {
    if (hasFailedToRead(source))
      throw new OperatorError(`DATA_DIR ${dataDir}: ${explainFailure(new DiskError(error))}`, {
        cause: error,
      });
    throw toOperatorError(error, options, needed);
  } finally {
    source.close();
  }
};

/** Writes the database and the files of sites into the temporary file, and checks it. */
const writeContents = async (
  options: BackupOptions,
  source: Client,
  temporary: string,
  { blobs, fileCount }: { blobs: Blobs; fileCount: number },
): Promise<Pick<BackupResult, "secrets" | "sites">> => {
  const { onProgress } = options;
  onProgress("Copying the database", true);
  const secrets = copyDatabase(source, temporary, options);
  using copy = openCopy(temporary);
  noteOrigin(copy);
  const sites = options.sites
    ? await copySites(copy, blobs, (done) =>
        onProgress(`Copying the sites: ${done} of about ${fileCount} files`),
      )
    : undefined;
  onProgress("Checking the copy", true);
  addDigestField(copy);
  assertSound(copy);
  return { secrets, sites };
};

/**
 * Copies the database without the sessions of the console and the key of sign-ins in progress. Without `secrets`, no byte of a
 * private key is in the file.
 */
const copyDatabase = (
  source: Client,
  temporary: string,
  { secrets }: BackupOptions,
): BackupResult["secrets"] => {
  const raw = `${temporary}.raw`;
  copyInto(source, raw);
  {
    using copy = openCopy(raw);
    endSessions(copy);
    if (!secrets && hasSecrets(copy)) {
      removeSecrets(copy);
      // The second copy has no free pages, which could still contain the keys.
      copyInto(copy, temporary);
      rmSync(raw);
      return "left_out";
    }
  }
  renameSync(raw, temporary);
  return secrets ? "included" : "none";
};

/** Copies the files that the deploys in the copy need. Later deploys are not in the copy. */
const copySites = async (
  copy: Client,
  blobs: Blobs,
  onProgress: (done: number) => void,
): Promise<SiteFiles> => {
  const hashes = await neededFiles(blobs, manifestsOf(copy));
  return addSiteFiles(blobs, hashes, backupFiles(copy, { create: true }), onProgress);
};

/** Removes older backups of this store from the directory. The `keep` newest stay, and always the one just taken. */
const rotate = (
  { file, dataDir, keep, now }: BackupOptions,
  storeId: string | undefined,
  isComplete: boolean,
): Pick<BackupResult, "removed" | "leftAlone"> => {
  if (keep === undefined) return { removed: [], leftAlone: [] };
  const directory = dirname(file);
  const { own, others } = backupsIn(directory, storeId);
  // A backup that lacks files of sites does not replace one that may have them, and its name may have a wrong time.
  const removed = isComplete && !clockJump(dataDir, now) ? surplus(own, basename(file), keep, now) : [];
  for (const name of removed) removeBackup(join(directory, name));
  return { removed, leftAlone: others.filter((name) => name !== basename(file)) };
};

/** The file of DATA_DIR that the system refused to read; undefined if it refused something in the backup's directory. */
const unreadableSource = (error: unknown, dataDir: string): string | undefined => {
  const { path } = error as NodeJS.ErrnoException;
  return path?.startsWith(join(dataDir, "blobs")) ? path : undefined;
};

const toOperatorError = (error: unknown, { dataDir, file }: BackupOptions, needed: number): unknown => {
  // Its message already explains the cause.
  if (error instanceof OperatorError) return error;
  if (error instanceof Fault && error.code === "storage_unavailable")
    return new OperatorError(
      "no backup was written: files of sites are in the object store of BLOBS_URL, which cannot be reached: run adoption-store doctor, or leave these files out with --no-sites",
    );
  if (isFull(error)) return noRoomError(dirname(file), needed);
  if (isBusy(error)) return lockedError(dataDir);
  if (error instanceof UnsoundDatabase || isDamage(error)) return unsoundError(dataDir, error);
  const source = unreadableSource(error, dataDir);
  if (isForbidden(error) && source !== undefined)
    return new OperatorError(
      `${source} cannot be read (${resultCode(error)}): give ${join(dataDir, "blobs")} and the files in it to the user that runs this`,
    );
  if (isForbidden(error))
    return new OperatorError(
      `${dirname(file)} cannot be written (${reasonOf(error)}): choose another directory, or make it writable`,
    );
  const explanation = explainFailure(error);
  if (explanation !== undefined)
    return new OperatorError(`no backup was written to ${dirname(file)}, ${explanation}`);
  return error;
};
