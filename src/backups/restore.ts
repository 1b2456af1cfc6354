import { chmodSync, copyFileSync, existsSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { databasePath, restoringPath } from "../data-dir/paths.ts";
import { assertDataDir, makeDataDir } from "../data-dir/checks.ts";
import { lockForRestore, removeRestoring } from "../data-dir/lock.ts";
import { openFault } from "../data-dir/open.ts";
import { reasonOf } from "../lib/reason.ts";
import { backupFiles, hasBackupFiles, dropBackupFiles } from "../db/backup-files.ts";
import { DiskError } from "../db/disk-error.ts";
import { isBusy, isDamage, isFull } from "../lib/storage-errors.ts";
import { fileSize } from "../lib/files.ts";
import { fullReason } from "../data-dir/free-space.ts";
import type { Lock } from "../db/file-lock.ts";
import { type Client, copyInto, openCopy, openExisting, settleLog } from "../db/snapshot.ts";
import { UnsoundDatabase, assertSound } from "../db/integrity.ts";
import { lastEventId, restartEventIds } from "../db/event-ids.ts";
import { manifestsOf } from "../db/stored-deploys.ts";
import { replaceFile, syncDirectory, syncPath } from "../lib/durable.ts";
import { inheritOwner } from "../lib/ownership.ts";
import { tryLink } from "./destination.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { type SiteFiles, blobsIn, neededFiles, countMissing, restoreSiteFiles } from "./site-files.ts";

export interface RestoreResult {
  /** Bytes of the database. */
  bytes: number;
  /** Where the database before is; undefined if there was none. */
  aside: string | undefined;
  sites: SiteFiles;
}

/** A backup that was looked at and may be restored; no server can start before it is closed. */
export interface Restore {
  /** True if there is a database that it takes the place of. */
  replaces: boolean;
  /** @throws OperatorError, and leaves the database as it was */
  run(onProgress: (line: string, isStep?: boolean) => void): Promise<RestoreResult>;
  close(): void;
}

const LOGS = ["-wal", "-shm", "-journal"];

const beginRestoring = (dataDir: string): Lock => {
  assertDataDir(dataDir);
  return lockForRestore(dataDir);
};

/** @throws OperatorError */
const openBackup = (file: string, dataDir: string): Client => {
  if (!existsSync(file)) throw new OperatorError(`${file} does not exist`);
  if (!statSync(file).isFile()) throw new OperatorError(`${file} is not an ordinary file`);
  const path = databasePath(dataDir);
  if (existsSync(path) && realpathSync(path) === realpathSync(file))
    throw new OperatorError(`${file} is the database itself`);
  let client: Client | undefined;
  try {
    client = openExisting(file, { readonly: true });
    assertSound(client);
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

const removeAll = (path: string, ends: readonly string[]) => {
  for (const end of ends) rmSync(path + end, { force: true });
};

const asidePath = (path: string, now: number): string =>
  `${path}.before-restore-${new Date(now).toISOString().replaceAll(/[-:]/g, "")}`;

/** A restore that was killed has left a second name of the database that is in use: two names would get two logs. */
const removeSecondNames = (path: string): void => {
  const { ino, nlink } = statSync(path);
  if (nlink === 1) return;
  const directory = dirname(path);
  for (const name of readdirSync(directory).filter((one) => one.includes(".before-restore-")))
    if (statSync(join(directory, name)).ino === ino) rmSync(join(directory, name));
};

const keep = async (file: string, aside: string): Promise<void> => {
  if (tryLink(file, aside)) return;
  copyFileSync(file, aside);
  inheritOwner(aside);
  await syncPath(aside);
};

/** Copies the log into the database, as far as both are sound. A broken one is kept as it is, its log too. */
const settle = (path: string): void => {
  // SQLite deletes the log of a database that has no bytes, and with it what was committed there.
  if (fileSize(path) === 0) return;
  removeSecondNames(path);
  try {
    settleLog(path);
  } catch (error) {
    if (isBusy(error))
      throw new OperatorError(`${path}: another process works on it; end that one, then try again`, {
        cause: error,
      });
    if (isFull(error)) throw error;
    if (!isDamage(error))
      throw new OperatorError(`DATA_DIR ${dirname(path)}: ${openFault(path, error)}`, { cause: error });
  }
};

/** Gives the database and its log a second name, under which they are complete; the first name stays. */
const setAside = async (path: string, aside: string): Promise<void> => {
  settle(path);
  const kept = ["", ...LOGS].filter((end) => end !== "-shm" && existsSync(path + end));
  for (const end of kept) await keep(path + end, aside + end);
  syncDirectory(dirname(path));
  // A log that is not its own would be read into the restored database. Only a broken one has any left here.
  removeAll(path, LOGS);
  syncDirectory(dirname(path));
};

/** Writes the database as the server will have it: without what the backup carries besides. */
const writeDatabase = (backup: Client, temporary: string): void => {
  const raw = `${temporary}.raw`;
  if (!hasBackupFiles(backup)) return copyInto(backup, temporary);
  copyInto(backup, raw);
  const copy = openCopy(raw);
  try {
    dropBackupFiles(copy);
    copyInto(copy, temporary);
  } finally {
    copy.close();
    rmSync(raw);
  }
};

/** Whoever follows events knows by their ids that others have taken the place of those that were read. */
const beginEventsAbove = (temporary: string, last: number): void => {
  const copy = openCopy(temporary);
  try {
    restartEventIds(copy, last);
  } finally {
    copy.close();
  }
};

/** The last event of the database that is replaced; 0 if it cannot be read. */
const lastEventIn = (path: string): number => {
  if (fileSize(path) === 0) return 0;
  let client: Client | undefined;
  try {
    client = openExisting(path);
    return lastEventId(client);
  } catch {
    return 0;
  } finally {
    client?.close();
  }
};

/** What a time gives is below what `Last-Event-ID` may say, and below 2^53. */
const MAX_BY_TIME = 9e14;

/**
 * An id above every one that was given to an event of this store, by whichever of its databases: time in hundredths of a
 * millisecond is above the count of all that have happened, and above what an earlier restore made of it.
 */
const nextEventId = (now: number, ...lasts: number[]): number =>
  Math.max(...lasts, Math.min(now * 100, MAX_BY_TIME)) + 1;

const checked = (temporary: string): string[] => {
  const copy = openCopy(temporary);
  try {
    assertSound(copy);
    return manifestsOf(copy);
  } finally {
    copy.close();
  }
};

const explain = (error: unknown, dataDir: string): unknown => {
  if (isFull(error))
    return new OperatorError(
      `DATA_DIR ${dataDir}: there is no room for the restored database, ${fullReason(dataDir)}`,
    );
  if (error instanceof UnsoundDatabase || isDamage(error))
    return new OperatorError(`the backup cannot be restored: ${reasonOf(error)}`);
  return error;
};

/**
 * Looks at a backup and takes DATA_DIR for it. The restored database gets its place in one step, on disk before: whenever
 * the machine stops, there is the one or the other.
 * @throws OperatorError if a server is running, or the backup is none that this program can use
 */
export const prepareRestore = (dataDir: string, file: string, now: number): Restore => {
  // A mistyped file makes no directory.
  const held = existsSync(dataDir) ? beginRestoring(dataDir) : undefined;
  let backup: Client;
  try {
    backup = openBackup(file, dataDir);
  } catch (error) {
    held?.release();
    throw error;
  }
  makeDataDir(dataDir);
  const lock = held ?? beginRestoring(dataDir);
  const path = databasePath(dataDir);
  const temporary = restoringPath(dataDir);

  return {
    replaces: existsSync(path),
    async run(onProgress) {
      try {
        const blobs = blobsIn(dataDir);
        const sites = hasBackupFiles(backup)
          ? await restoreSiteFiles(blobs, backupFiles(backup), (done, of) =>
              onProgress(`Sites: ${done} of ${of} files`),
            )
          : { files: 0, bytes: 0 };
        onProgress("Writing the database", true);
        writeDatabase(backup, temporary);
        beginEventsAbove(temporary, nextEventId(now, lastEventId(backup), lastEventIn(path)));
        onProgress("Checking the database", true);
        const needed = await neededFiles(blobs, checked(temporary));
        chmodSync(temporary, 0o600);
        const aside = existsSync(path) ? asidePath(path, now) : undefined;
        await setAside(path, asidePath(path, now));
        await replaceFile(temporary, path);
        return {
          bytes: statSync(path).size,
          aside,
          sites: { ...sites, missing: countMissing(blobs, needed) },
        };
      } catch (error) {
        throw explain(error, dataDir);
      } finally {
        removeRestoring(dataDir);
      }
    },
    close() {
      backup.close();
      lock.release();
    },
  };
};
