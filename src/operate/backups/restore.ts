import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  realpathSync,
  rmSync,
  rmdirSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { assertDataDir, makeDataDir } from "../../data/data-dir/checks.ts";
import { lockForRestore, removeRestoring } from "../../data/data-dir/lock.ts";
import { databasePath, lockPath, restoringPath } from "../../data/data-dir/paths.ts";
import { fullDiskAdvice, openFault } from "../../data/data-dir/storage.ts";
import { record } from "../../data/db/audit.ts";
import {
  backupFiles,
  dropBackupFiles,
  endSessions,
  hasBackupFiles,
  lastEventId,
  removeDigestField,
  removeOrigin,
  restartEventIds,
} from "../../data/db/backup-contents.ts";
import { derivedDifferences } from "../../data/db/derived.ts";
import { DiskError } from "../../data/db/failures.ts";
import type { Lock } from "../../data/db/file-lock.ts";
import { UnsoundDatabase, assertSound } from "../../data/db/integrity.ts";
import { isReplicaFile } from "../../data/db/readonly.ts";
import { hasTable } from "../../data/db/schema-check.ts";
import { type Client, copyInto, openCopy, openExisting, settleLog } from "../../data/db/snapshot.ts";
import { manifestsOf } from "../../data/db/stored-deploys.ts";
import { replaceFile, syncDirectory, syncPath } from "../../lib/durable.ts";
import { fileSize } from "../../lib/files.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { inheritOwner } from "../../lib/ownership.ts";
import { OPERATOR } from "../../lib/actor.ts";
import { reasonOf } from "../../lib/reason.ts";
import { isBusy, isDamage, isFull, resultCode } from "../../lib/storage-errors.ts";
import { tryLink } from "./destination.ts";
import { hasDigest, unreadableDigest, verifyDigest } from "./digest.ts";
import { fileTime } from "./file-names.ts";
import {
  type OnProgress,
  type SiteStorage,
  blobsIn,
  blobsPath,
  countMissing,
  neededFiles,
  restoreSiteFiles,
} from "./site-files.ts";
import { type ForgetAdopter, repeatErasures } from "./undone.ts";

const LOG_SUFFIXES = ["-wal", "-shm", "-journal"];
const INFIX = ".before-restore-";

/** The new path of a database that a restore at this time replaces. */
const asidePath = (path: string, now: number): string => `${path}${INFIX}${fileTime(now)}`;

/** Links the complete database and its log to the path `aside`. The original database stays. @throws OperatorError */
const setAside = async (path: string, aside: string): Promise<void> => {
  includeLog(path);
  const present = ["", ...LOG_SUFFIXES].filter((end) => end !== "-shm" && existsSync(path + end));
  for (const end of present) await addName(path + end, aside + end);
  syncDirectory(dirname(path));
  // SQLite would apply a log that stays here to the restored database. Only a damaged log still exists.
  for (const end of LOG_SUFFIXES) rmSync(path + end, { force: true });
  syncDirectory(dirname(path));
};

/** Copies the log into the database if both are intact. If one is damaged, both stay as they are. */
const includeLog = (path: string): void => {
  // SQLite deletes the log of an empty database, and with it the transactions that only the log holds.
  if (fileSize(path) === 0) return;
  removeSecondNames(path);
  try {
    settleLog(path);
  } catch (error) {
    if (isBusy(error))
      throw new OperatorError(`${path}: another process is using it: end that process, then try again`, {
        cause: error,
      });
    if (isFull(error)) throw error;
    if (!isDamage(error))
      throw new OperatorError(`DATA_DIR ${dirname(path)}: ${openFault(path, error)}`, { cause: error });
  }
};

/** Removes links to the database in use that a killed restore left: under two names, a database would get two logs. */
const removeSecondNames = (path: string): void => {
  const { ino, nlink } = statSync(path);
  if (nlink === 1) return;
  const directory = dirname(path);
  for (const name of readdirSync(directory).filter((one) => one.includes(INFIX)))
    if (statSync(join(directory, name)).ino === ino) rmSync(join(directory, name));
};

/** Links the file to a second name; on a file system without links, copies it. */
const addName = async (file: string, name: string): Promise<void> => {
  if (tryLink(file, name)) return;
  try {
    copyFileSync(file, name);
    inheritOwner(name);
    await syncPath(name);
  } catch (error) {
    rmSync(name, { force: true });
    throw error;
  }
};

/**
 * Checks a backup and takes the lock of DATA_DIR, so that no server can start before `close`. The restored database is on
 * disk before it replaces the old one in one step: after a crash of the machine, one of the two is there.
 * @param storage where files of sites belong; by default in DATA_DIR alone
 * @param force restores a backup whose digest differs
 * @param forget repeats the erasures of the replaced database
 * @throws OperatorError if a server is running, or this program cannot restore the backup
 */
export const prepareRestore = (
  dataDir: string,
  file: string,
  now: number,
  { storage, force = false, forget }: { storage?: SiteStorage; force?: boolean; forget: ForgetAdopter },
) => {
  const missing = [blobsPath(dataDir), lockPath(dataDir)].filter((path) => !existsSync(path));
  let hasFailed = false;
  // Don't create DATA_DIR if the file name is wrong.
  const existing = existsSync(dataDir) ? lockDirectory(dataDir) : undefined;
  let backup: Client | undefined;
  let lock: Lock;
  try {
    assertNoReplica(dataDir);
    backup = openBackup(file, dataDir, force);
    makeDataDir(dataDir);
    lock = existing ?? lockDirectory(dataDir);
  } catch (error) {
    backup?.close();
    existing?.release();
    throw error;
  }
  return {
    hasDigest: hasDigest(backup, file),
    unreadableDigest: unreadableDigest(file),
    replaces: existsSync(databasePath(dataDir)),
    /** @throws OperatorError. `close` then returns DATA_DIR to its previous state. */
    async run(onProgress: OnProgress): Promise<RestoreResult> {
      try {
        return await restore(
          backup,
          { file, dataDir, now, forget },
          storage ?? { blobs: blobsIn(dataDir) },
          onProgress,
        );
      } catch (error) {
        hasFailed = true;
        throw toOperatorError(error, dataDir, existing ? dataDir : dirname(resolve(dataDir)));
      } finally {
        removeRestoring(dataDir);
      }
    },
    close(): void {
      backup.close();
      if (hasFailed) for (const path of missing) rmSync(path, { recursive: true, force: true });
      lock.release();
      if (hasFailed && !existing) removeEmpty(dataDir);
    },
  };
};

interface RestoreTarget {
  file: string;
  dataDir: string;
  now: number;
  forget: ForgetAdopter;
}

/** Removes a directory, unless another process has written to it. */
const removeEmpty = (directory: string): void => {
  try {
    rmdirSync(directory);
  } catch (error) {
    if (resultCode(error) !== "ENOTEMPTY") throw error;
  }
};

const restore = async (
  backup: Client,
  { file, dataDir, now, forget }: RestoreTarget,
  { blobs, remote }: SiteStorage,
  onProgress: OnProgress,
) => {
  const path = databasePath(dataDir);
  const temporary = restoringPath(dataDir);
  const hasFiles = hasBackupFiles(backup) && backupFiles(backup).hashes().length > 0;
  const writer = hasFiles ? blobs.openWriter() : undefined;
  try {
    const sites = writer
      ? await restoreSiteFiles(blobs, writer, backupFiles(backup), (done, of) =>
          onProgress(`Sites: ${done} of ${of} files`),
        )
      : { files: 0, bytes: 0 };
    onProgress("Writing the database", true);
    writeDatabase(backup, temporary);
    prepareDatabase(temporary, idAbove(now, lastEventId(backup), lastEventIdIn(path)));
    recordRestore(temporary, { now, file });
    const undone = await repeatErasures(path, temporary, forget);
    onProgress("Checking the database", true);
    const { manifests, differences } = examine(temporary);
    const needed = await neededFiles(blobs, manifests);
    // Before the database refers to them: other nodes read them there.
    const missing = remote
      ? await remote.upload(needed, (done, of) => onProgress(`Uploading the sites: ${done} of ${of} files`))
      : countMissing(blobs, needed);
    chmodSync(temporary, 0o600);
    const aside = asidePath(path, now);
    const replaces = existsSync(path);
    await setAside(path, aside);
    await replaceFile(temporary, path);
    const { size: bytes } = statSync(path);
    writer?.close();
    return {
      bytes,
      /** The new path of the previous database; undefined if there was none. */
      aside: replaces ? aside : undefined,
      sites: { ...sites, missing },
      /** The decisions since the backup that the restore undoes, or why they are unknown. */
      undone,
      /** The derived data that differs from its rows, as it did when the backup was taken. */
      differences,
    };
  } catch (error) {
    writer?.discard();
    throw error;
  }
};

export type RestoreResult = Awaited<ReturnType<typeof restore>>;

const lockDirectory = (dataDir: string): Lock => {
  assertDataDir(dataDir);
  return lockForRestore(dataDir);
};

/** @throws OperatorError */
const openBackup = (file: string, dataDir: string, force: boolean): Client => {
  if (!existsSync(file)) throw new OperatorError(`${file} does not exist: check the name`);
  if (!statSync(file).isFile()) throw new OperatorError(`${file} is not an ordinary file: name a backup`);
  const path = databasePath(dataDir);
  if (existsSync(path) && realpathSync(path) === realpathSync(file))
    throw new OperatorError(`${file} is the database itself: name a backup`);
  let client: Client | undefined;
  try {
    client = openExisting(file, { readonly: true });
    assertSound(client);
    if (!force) verifyDigest(client, file);
    return client;
  } catch (error) {
    client?.close();
    const reason =
      error instanceof DiskError
        ? "its disk reported an input/output error: look at the system's log (dmesg), then try again, or restore another backup"
        : reasonOf(error);
    throw new OperatorError(`${file} cannot be restored: ${reason}`, { cause: error });
  }
};

/** Writes the database without the files of sites, which the server stores next to it. */
const writeDatabase = (backup: Client, temporary: string): void => {
  if (!hasBackupFiles(backup)) return copyInto(backup, temporary);
  const raw = `${temporary}.raw`;
  copyInto(backup, raw);
  try {
    using copy = openCopy(raw);
    dropBackupFiles(copy);
    copyInto(copy, temporary);
  } finally {
    rmSync(raw);
  }
};

/**
 * Makes the copy an embedded database. Renumbering shows event readers that the events they have seen no longer apply.
 * Sessions may have been closed since the backup.
 */
const prepareDatabase = (temporary: string, lastEventIdBefore: number): void => {
  using copy = openCopy(temporary);
  removeOrigin(copy);
  removeDigestField(copy);
  restartEventIds(copy, lastEventIdBefore);
  endSessions(copy);
};

/** Adds the restore to the audit log, if the version that took the backup had one. */
const recordRestore = (temporary: string, { now, file }: { now: number; file: string }): void => {
  using copy = openCopy(temporary);
  if (!hasTable(copy, "audit_entries")) return;
  const entry = { action: "backup.restored", id: basename(file) } as const;
  for (const { query, values } of record({ actor: OPERATOR, now }, entry)) query.all(copy, values);
};

const examine = (temporary: string) => {
  using copy = openCopy(temporary);
  assertSound(copy);
  return { manifests: manifestsOf(copy), differences: derivedDifferences(copy) };
};

/** @throws OperatorError for a replica, which would only load the cluster's store again */
const assertNoReplica = (dataDir: string): void => {
  if (!isReplicaFile(databasePath(dataDir))) return;
  throw new OperatorError(
    `DATA_DIR ${dataDir} holds a replica of a cluster: to go back to a backup on all nodes, run adoption-store cluster leave --force, restore, and then adoption-store cluster join --replace`,
  );
};

/** The last event id of the replaced database; 0 if it cannot be read. */
const lastEventIdIn = (path: string): number => {
  if (fileSize(path) === 0) return 0;
  try {
    using client = openExisting(path);
    return lastEventId(client);
  } catch {
    return 0;
  }
};

/** Keeps ids that come from a time below the maximum of `Last-Event-ID`, and below 2^53. */
const MAX_TIME_ID = 9e14;

/**
 * An id above every event id of any database of this store. The time in hundredths of a millisecond is above the count of all
 * events so far, and above the ids that earlier restores took from the time.
 */
export const idAbove = (now: number, ...lastIds: number[]): number =>
  Math.max(...lastIds, Math.min(now * 100, MAX_TIME_ID)) + 1;

/** @param directory on the file system of DATA_DIR; it still exists after a failed restore */
const toOperatorError = (error: unknown, dataDir: string, directory: string): unknown => {
  if (isFull(error))
    return new OperatorError(
      `DATA_DIR ${dataDir}: there is no room for the restored database, ${fullDiskAdvice(directory)}`,
    );
  if (error instanceof UnsoundDatabase || isDamage(error))
    return new OperatorError(`the backup cannot be restored: ${reasonOf(error)}`);
  return error;
};
