import { realpathSync, renameSync, rmSync, statSync, statfsSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { assertDataDir, assertDatabase } from "../data-dir/checks.ts";
import { databasePath } from "../data-dir/paths.ts";
import { assertNotBeingRestored } from "../data-dir/lock.ts";
import { openFault } from "../data-dir/open.ts";
import { reasonOf } from "../lib/reason.ts";
import { backupFiles } from "../db/backup-files.ts";
import { storeIdOf } from "../db/store-id.ts";
import { DiskError, asDiskError, hasFailedToRead } from "../db/disk-error.ts";
import { explainFailure } from "../db/explain-failure.ts";
import { isBusy, isDamage, isForbidden, isFull } from "../lib/storage-errors.ts";
import { type Client, copyInto, openCopy, openExisting, sizeOf } from "../db/snapshot.ts";
import { UnsoundDatabase, assertSound } from "../db/integrity.ts";
import { hasSecrets, removeSecrets } from "../db/secrets.ts";
import { manifestsOf } from "../db/stored-deploys.ts";
import type { Blobs } from "../deploys/blobs.ts";
import { fullReason, hasNoInodes } from "../data-dir/free-space.ts";
import { claimTemporary, removeTemporary } from "./temporary-files.ts";
import { surplus, temporaryName } from "./file-names.ts";
import { assertDestination, moveIntoPlace } from "./destination.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { backupsIn } from "./backup-directory.ts";
import { inheritOwner } from "../lib/ownership.ts";
import { type SiteFiles, blobsIn, totalBytes, addSiteFiles, neededFiles } from "./site-files.ts";

export interface BackupOptions {
  dataDir: string;
  /** Where the backup goes; its directory is there. */
  file: string;
  /** Overwrites a file. */
  force: boolean;
  /** Takes private keys of certificates and of accounts with authorities along. */
  secrets: boolean;
  /** Takes the files of deployed sites along. */
  sites: boolean;
  /** Bytes that stay free on the file system of DATA_DIR. */
  reserve: number;
  /** How many backups stay in its directory; undefined: all. */
  keep?: number | undefined;
  now: number;
  /** Told what is being done: of a step before it begins, of counts within one often. */
  onProgress: (line: string, isStep?: boolean) => void;
}

export interface BackupResult {
  file: string;
  /** Of the file. */
  bytes: number;
  /** Private keys: in it, left out, or there were none to leave out. */
  secrets: "included" | "left_out" | "none";
  /** Undefined if they were not asked for. */
  sites: SiteFiles | undefined;
  /** Names of older backups that went. */
  removed: string[];
  /** Names of backups that `keep` does not count: they belong to another store, have no store id, or are damaged. */
  leftAlone: string[];
}

const lockedError = (dataDir: string) =>
  new OperatorError(`DATA_DIR ${dataDir}: the database is locked by another process; try again`);

const unsoundError = (dataDir: string, error: unknown) =>
  new OperatorError(
    `DATA_DIR ${dataDir}: the database cannot be backed up: ${reasonOf(error)}; adoption-store doctor says more`,
    { cause: error },
  );

/** @throws OperatorError */
const openSource = (dataDir: string): Client => {
  const path = databasePath(dataDir);
  assertDataDir(dataDir);
  assertDatabase(dataDir, { create: false });
  assertNotBeingRestored(dataDir);
  try {
    return openExisting(path);
  } catch (error) {
    throw new OperatorError(`DATA_DIR ${dataDir}: ${openFault(path, error)}`, { cause: error });
  }
};

/**
 * Reads once, which opens the log: a fault of the database is not reported as one of the backup's directory.
 * @throws OperatorError
 */
const assertReadable = (source: Client, dataDir: string): void => {
  try {
    sizeOf(source);
  } catch (caught) {
    const error = asDiskError(source, caught);
    if (isBusy(error)) throw lockedError(dataDir);
    if (isDamage(error)) throw unsoundError(dataDir, error);
    throw new OperatorError(`DATA_DIR ${dataDir}: ${openFault(databasePath(dataDir), error)}`, {
      cause: error,
    });
  }
};

/** @throws OperatorError for a name by which a backup in DATA_DIR would not be known as one */
const assertEnding = (file: string, dataDir: string) => {
  if (realpathSync(dirname(file)) === realpathSync(dataDir) && !file.endsWith(".db"))
    throw new OperatorError(
      `${file}: in DATA_DIR the name of a backup ends with .db; name another, or another place`,
    );
};

/** True for DATA_DIR and the directories in it, whose files are the service's. */
const isInside = (directory: string, dataDir: string): boolean =>
  `${realpathSync(directory)}${sep}`.startsWith(`${realpathSync(dataDir)}${sep}`);

const asMegabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;

const noRoomError = (directory: string, needed: number) =>
  new OperatorError(
    hasNoInodes(directory)
      ? `${directory}: ${fullReason(directory)}, or name another place`
      : `${directory} has no room for the backup${needed > 0 ? `, which needs about ${asMegabytes(needed)}` : ""}: make room there, or name another place`,
  );

/** @throws OperatorError */
const assertRoom = ({ file, dataDir, reserve }: BackupOptions, needed: number) => {
  const directory = dirname(file);
  const { bavail, bsize } = statfsSync(directory);
  const isShared = statSync(directory).dev === statSync(dataDir).dev;
  if (bavail * bsize < needed + (isShared ? reserve : 0)) throw noRoomError(directory, needed);
};

/** Copies the database; what it has of private keys is left out, so that none of their bytes is in the file that this makes. */
const copyDatabase = (
  source: Client,
  temporary: string,
  { secrets }: BackupOptions,
): BackupResult["secrets"] => {
  const raw = `${temporary}.raw`;
  copyInto(source, raw);
  const copy = openCopy(raw);
  try {
    if (!secrets && hasSecrets(copy)) {
      removeSecrets(copy);
      // What was overwritten there is not even copied here.
      copyInto(copy, temporary);
      rmSync(raw);
      return "left_out";
    }
  } finally {
    copy.close();
  }
  renameSync(raw, temporary);
  return secrets ? "included" : "none";
};

const writeBackup = async (
  order: BackupOptions,
  source: Client,
  temporary: string,
  blobs: Blobs,
  hashes: string[],
) => {
  const { onProgress } = order;
  onProgress("Copying the database", true);
  const secrets = copyDatabase(source, temporary, order);
  const copy = openCopy(temporary);
  try {
    // A deploy that came since is not in the copy; one that went since is missed by nobody.
    const sites = order.sites
      ? await addSiteFiles(
          blobs,
          await neededFiles(blobs, manifestsOf(copy)),
          backupFiles(copy, { create: true }),
          (done) => onProgress(`Copying the sites: ${done} of about ${hashes.length} files`),
        )
      : undefined;
    onProgress("Checking the copy", true);
    assertSound(copy);
    return { secrets, sites };
  } finally {
    copy.close();
  }
};

const explain = (error: unknown, { dataDir, file }: BackupOptions, needed: number): unknown => {
  if (isFull(error)) return noRoomError(dirname(file), needed);
  if (isBusy(error)) return lockedError(dataDir);
  if (error instanceof UnsoundDatabase || isDamage(error)) return unsoundError(dataDir, error);
  if (isForbidden(error)) return new OperatorError(`${dirname(file)} cannot be written (${reasonOf(error)})`);
  const explanation = explainFailure(error);
  if (explanation !== undefined)
    return new OperatorError(`no backup was written to ${dirname(file)}, ${explanation}`);
  return error;
};

/** Removes older backups of this store from the directory. The newest stay, the one just taken among them. */
const rotate = (
  { file, keep, now }: BackupOptions,
  storeId: string | undefined,
  isWhole: boolean,
): Pick<BackupResult, "removed" | "leftAlone"> => {
  if (keep === undefined) return { removed: [], leftAlone: [] };
  const directory = dirname(file);
  const { own, others } = backupsIn(directory, storeId);
  // A backup that lacks files of sites does not replace one that may have them.
  const removed = isWhole ? surplus(own, basename(file), keep, now) : [];
  for (const name of removed) rmSync(join(directory, name), { force: true });
  return { removed, leftAlone: others.filter((name) => name !== basename(file)) };
};

/**
 * Takes a backup of what is committed now, checks it, and only then gives it its name; a server may run and write.
 * @throws OperatorError, and leaves nothing
 */
export const takeBackup = async (order: BackupOptions): Promise<BackupResult> => {
  const { dataDir, file, force, secrets, now } = order;
  // What is written here is for its user alone, before it has its last mode too.
  process.umask(0o077);
  const source = openSource(dataDir);
  let needed = 0;
  try {
    assertDestination(file, dataDir);
    assertEnding(file, dataDir);
    const directory = dirname(file);
    const temporary = join(directory, temporaryName(process.pid));
    // Before room is looked for: what a killed one left may take it.
    const begun = claimTemporary(directory, now);
    try {
      assertReadable(source, dataDir);
      const blobs = blobsIn(dataDir);
      const hashes = order.sites ? await neededFiles(blobs, manifestsOf(source)) : [];
      // To leave keys out it is copied twice.
      needed = sizeOf(source) * (!secrets && hasSecrets(source) ? 2 : 1) + totalBytes(blobs, hashes);
      assertRoom(order, needed);
      const filled = await writeBackup(order, source, temporary, blobs, hashes);
      if (isInside(directory, dataDir)) inheritOwner(temporary);
      await moveIntoPlace(temporary, file, { force });
      return {
        file,
        bytes: statSync(file).size,
        ...filled,
        ...rotate(order, storeIdOf(source), !filled.sites?.missing),
      };
    } finally {
      removeTemporary(directory, process.pid);
      begun.release();
    }
  } catch (error) {
    if (hasFailedToRead(source))
      throw new OperatorError(`DATA_DIR ${dataDir}: ${explainFailure(new DiskError(error))}`, {
        cause: error,
      });
    throw explain(error, order, needed);
  } finally {
    source.close();
  }
};
