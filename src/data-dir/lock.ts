import { accessSync, constants, existsSync, rmSync } from "node:fs";
import { savedSettingsPath } from "../config/saved-settings.ts";
import { isOpenElsewhere } from "../db/open-elsewhere.ts";
import { isForbidden } from "../lib/storage-errors.ts";
import { type FileLock, type Lock, isLocked, takeLock } from "../db/file-lock.ts";
import { fileSize } from "../lib/files.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { createEmpty } from "../lib/ownership.ts";
import { reasonOf } from "../lib/reason.ts";
import { explainStorage, systemFault } from "./filesystem.ts";
import { copyFiles, databasePath, lockPath, restoringPath } from "./paths.ts";
import { fileFault } from "./permissions.ts";

const USED_BY_SERVER = "a server is using it: stop that server, or choose another directory with --data-dir";
const RESTORING = "a backup is being restored: try again when that has ended";
const DELETED =
  "server.lock was deleted, and another process has the database open: stop that process (fuser adoption-store.db names it), then try again";

const refusal = (dataDir: string, reason: string, cause?: unknown): OperatorError =>
  new OperatorError(`DATA_DIR ${dataDir}: ${reason}`, { cause });

/** Why the lock cannot be taken because of its file or its disk, and what to do. */
const lockFault = (dataDir: string, error: unknown): string => {
  const path = lockPath(dataDir);
  const fault = fileFault(path);
  if (fault !== undefined) return fault;
  if (fileSize(path) > 0) return `${path} is not a lock file of adoption-store: move it away`;
  const failure = systemFault([path]) ?? error;
  const explanation = isForbidden(failure) ? undefined : explainStorage(failure, dataDir);
  return explanation === undefined
    ? `cannot be written (${reasonOf(error)}): make it writable, or choose another directory with --data-dir`
    : `${explanation}, or choose another directory with --data-dir`;
};

/** True while a server runs on DATA_DIR or a backup is restored to it. @throws OperatorError */
export const isDataDirLocked = (dataDir: string): boolean => {
  try {
    return isLocked(lockPath(dataDir));
  } catch (error) {
    throw refusal(dataDir, lockFault(dataDir, error), error);
  }
};

/**
 * True while a backup is being restored: a database that is opened meanwhile would leave its log beside the restored one.
 * A restore that was killed leaves its file, but holds no lock. @throws OperatorError
 */
export const isBeingRestored = (dataDir: string): boolean =>
  existsSync(restoringPath(dataDir)) && isDataDirLocked(dataDir);

/** @throws OperatorError */
export const assertNotBeingRestored = (dataDir: string): void => {
  if (isBeingRestored(dataDir)) throw refusal(dataDir, RESTORING);
};

/** Removes the files of a restore; only for the process that holds the lock. */
export const removeRestoring = (dataDir: string): void => {
  for (const file of copyFiles(restoringPath(dataDir))) rmSync(file, { force: true });
};

/** True if a server has run here, its lock file was deleted, and a process has the database open: it may be that server. */
const isDeletedInUse = ({ isNew }: FileLock, dataDir: string): boolean =>
  isNew && existsSync(savedSettingsPath(dataDir)) && isOpenElsewhere(databasePath(dataDir));

/** Gives the lock back if `act` fails. @throws OperatorError */
const orRelease = (lock: Lock, dataDir: string, act: () => void): void => {
  try {
    act();
  } catch (error) {
    lock.release();
    throw refusal(dataDir, lockFault(dataDir, error), error);
  }
};

/** Takes the lock, and removes what a killed restore left. @throws OperatorError */
const takeDataDirLock = (dataDir: string): FileLock => {
  let lock: FileLock | undefined;
  try {
    accessSync(dataDir, constants.W_OK);
    lock = takeLock(lockPath(dataDir));
  } catch (error) {
    throw refusal(dataDir, lockFault(dataDir, error), error);
  }
  if (!lock) throw refusal(dataDir, isBeingRestored(dataDir) ? RESTORING : USED_BY_SERVER);
  if (isDeletedInUse(lock, dataDir)) {
    lock.release();
    throw refusal(dataDir, DELETED);
  }
  orRelease(lock, dataDir, () => removeRestoring(dataDir));
  return lock;
};

/** Another process took the lock after its file was deleted or replaced. */
export class LockLost extends Error {
  override name = "LockLost";

  constructor() {
    super(
      "server.lock was deleted or replaced while the server ran, and another process holds it now: stop that process, then start the server again",
    );
  }
}

/** How often `keep` fails before the lock counts as lost: a start that is refused holds it for a moment. */
const MAX_FAILURES = 3;

/**
 * Takes the lock of DATA_DIR for a server. The lock ends with the process, however that ends.
 * @throws OperatorError if another server or a restore holds it, or it cannot be taken
 */
export const lockForServer = (dataDir: string) => {
  let lock: FileLock | undefined = takeDataDirLock(dataDir);
  let failures = 0;
  const { promise: lost, resolve } = Promise.withResolvers<LockLost>();
  return {
    /** Resolves when another process has taken the lock. */
    lost,
    /** Takes the lock again if its file was deleted or replaced. @returns true if it did */
    keep(): boolean {
      if (lock?.isInPlace()) return false;
      lock?.release();
      lock = takeLock(lockPath(dataDir));
      failures = lock ? 0 : failures + 1;
      if (failures === MAX_FAILURES) resolve(new LockLost());
      return lock !== undefined;
    },
    release: (): void => lock?.release(),
  };
};

export type ServerLock = ReturnType<typeof lockForServer>;

/**
 * Takes the lock of DATA_DIR for a restore, and creates the file that the restore writes: both together tell other processes
 * that a restore runs.
 * @throws OperatorError if a server or another restore holds it, or it cannot be taken
 */
export const lockForRestore = (dataDir: string): Lock => {
  const lock = takeDataDirLock(dataDir);
  orRelease(lock, dataDir, () => void createEmpty(restoringPath(dataDir)));
  return {
    release() {
      removeRestoring(dataDir);
      lock.release();
    },
  };
};
