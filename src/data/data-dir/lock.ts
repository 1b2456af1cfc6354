import { accessSync, constants, existsSync, rmSync } from "node:fs";
import { savedSettingsPath } from "../../config/shared-settings.ts";
import { isOpenElsewhere } from "../db/other-processes.ts";
import { isForbidden } from "../../lib/storage-errors.ts";
import { type FileLock, type Lock, isLocked, takeLock } from "../db/file-lock.ts";
import { fileSize } from "../../lib/files.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { createEmpty } from "../../lib/ownership.ts";
import { reasonOf } from "../../lib/reason.ts";
import { explainStorage, systemFault } from "./storage.ts";
import { copyFiles, databasePath, lockPath, restoringPath } from "./paths.ts";
import { fileFault } from "./checks.ts";
import { unitOfServer } from "./process-record.ts";

const USED_BY_SERVER = "a server is using it: stop that server";
const RESTORING = "a backup is being restored: try again when the restore has ended";
const DELETED =
  "server.lock was deleted, and another process has the database open: stop that process (fuser adoption-store.db names it), then try again";

const refusal = (dataDir: string, reason: string, cause?: unknown): OperatorError =>
  new OperatorError(`DATA_DIR ${dataDir}: ${reason}`, { cause });

/** How to stop the server of DATA_DIR: systemd runs it, or a person does. */
const usedByServer = (dataDir: string): string => {
  const unit = unitOfServer(dataDir);
  return unit === undefined
    ? `${USED_BY_SERVER}, or choose another directory with --data-dir`
    : `${USED_BY_SERVER} with sudo systemctl stop ${unit}`;
};

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

/** True while a server or a restore uses DATA_DIR. @throws OperatorError */
export const isDataDirLocked = (dataDir: string): boolean => {
  try {
    return isLocked(lockPath(dataDir));
  } catch (error) {
    throw refusal(dataDir, lockFault(dataDir, error), error);
  }
};

/**
 * True while a backup is being restored. A process that opens the database meanwhile would leave its log next to the
 * restored database. A killed restore leaves its file, but holds no lock. @throws OperatorError
 */
export const isBeingRestored = (dataDir: string): boolean =>
  existsSync(restoringPath(dataDir)) && isDataDirLocked(dataDir);

/** @throws OperatorError */
export const assertNotBeingRestored = (dataDir: string): void => {
  if (isBeingRestored(dataDir)) throw refusal(dataDir, RESTORING);
};

/** Removes the files of a restore. The caller must hold the lock. */
export const removeRestoring = (dataDir: string): void => {
  for (const file of copyFiles(restoringPath(dataDir))) rmSync(file, { force: true });
};

/** True if a server ran here, its lock file was deleted, and a process that may be that server has the database open. */
const isDeletedInUse = ({ isNew }: FileLock, dataDir: string): boolean =>
  isNew && existsSync(savedSettingsPath(dataDir)) && isOpenElsewhere(databasePath(dataDir));

/** Releases the lock if `act` fails. @throws OperatorError */
const orRelease = (lock: Lock, dataDir: string, act: () => void): void => {
  try {
    act();
  } catch (error) {
    lock.release();
    throw refusal(dataDir, lockFault(dataDir, error), error);
  }
};

/** A busy machine may suspend a process while it checks the lock, such as `status`. */
const CHECK_WAIT_MS = 5000;

/** @returns undefined if a server or a restore holds the lock */
const takeOrAwaitChecks = (path: string): FileLock | undefined =>
  takeLock(path) ?? (isLocked(path) ? undefined : takeLock(path, CHECK_WAIT_MS));

/** Takes the lock, and removes the files of a killed restore. @throws OperatorError */
const takeDataDirLock = (dataDir: string): FileLock => {
  let lock: FileLock | undefined;
  try {
    accessSync(dataDir, constants.W_OK);
    lock = takeOrAwaitChecks(lockPath(dataDir));
  } catch (error) {
    throw refusal(dataDir, lockFault(dataDir, error), error);
  }
  if (!lock) throw refusal(dataDir, isBeingRestored(dataDir) ? RESTORING : usedByServer(dataDir));
  if (isDeletedInUse(lock, dataDir)) {
    lock.release();
    throw refusal(dataDir, DELETED);
  }
  orRelease(lock, dataDir, () => removeRestoring(dataDir));
  return lock;
};

/** Another process took the lock after its file was deleted or replaced. */
class LockLost extends Error {
  override name = "LockLost";

  constructor() {
    super(
      "server.lock was deleted or replaced while the server ran, and another process holds it now: stop that process, then start the server again",
    );
  }
}

/** The lock counts as lost after this many failures of `keep`: a start that is refused also holds it for a moment. */
const MAX_FAILURES = 3;

/**
 * Takes the lock of DATA_DIR for a server. The operating system releases the lock when the process ends, even by a crash.
 * @throws OperatorError if another server or a restore holds it, or it cannot be taken
 */
export const lockForServer = (dataDir: string) => {
  let lock: FileLock | undefined = takeDataDirLock(dataDir);
  let failures = 0;
  const { promise: lost, resolve } = Promise.withResolvers<LockLost>();
  return {
    /** Resolves when another process has taken the lock. */
    lost,
    /** Takes the lock again if its file was deleted or replaced. @returns true if it took it */
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
 * Takes the lock of DATA_DIR for a restore, and creates the file that the restore writes. Both together show other processes
 * that a restore is in progress.
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
