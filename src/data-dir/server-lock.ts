import { accessSync, constants, existsSync } from "node:fs";
import { savedSettingsPath } from "../config/saved-settings.ts";
import { databasePath, lockPath } from "./data.ts";
import { isOpenElsewhere } from "../db/exclusive.ts";
import { type FileLock, takeLock } from "../db/lock.ts";

/** The lock file was missing, and another process has the database open: it may be a server whose lock file was deleted. */
export class OpenElsewhere extends Error {
  override name = "OpenElsewhere";

  constructor() {
    super(
      "server.lock was deleted, and another process has the database open: stop that process (fuser adoption-store.db names it), then try again",
    );
  }
}

/** Another process took the lock after its file was deleted or replaced. */
export class LockLost extends Error {
  override name = "LockLost";

  constructor() {
    super(
      "server.lock was deleted or replaced while the server ran, and another process holds it now: stop that process, then start the server again",
    );
  }
}

/** The right to be the one server of a DATA_DIR, or to restore it. */
export interface ServerLock {
  /** Takes the lock again if its file was deleted or replaced. @returns true if it did */
  keep(): boolean;
  /** Resolves when another process has taken the lock. */
  readonly lost: Promise<LockLost>;
  release(): void;
}

/** True if a server has run here, its lock file was deleted, and a process has the database open. */
const isDeletedInUse = ({ isNew }: FileLock, dataDir: string): boolean =>
  isNew && existsSync(savedSettingsPath(dataDir)) && isOpenElsewhere(databasePath(dataDir));

/** How often `keep` fails before the lock counts as lost: a start that is refused holds it for a moment. */
const MAX_FAILURES = 3;

/**
 * Takes the lock of DATA_DIR; undefined if another process holds it.
 * @throws OpenElsewhere, or the system's or SQLite's error
 */
export const takeServerLock = (dataDir: string): ServerLock | undefined => {
  const path = lockPath(dataDir);
  accessSync(dataDir, constants.W_OK);
  let lock: FileLock | undefined = takeLock(path);
  if (!lock) return undefined;
  if (isDeletedInUse(lock, dataDir)) {
    lock.release();
    throw new OpenElsewhere();
  }
  let failures = 0;
  const { promise: lost, resolve } = Promise.withResolvers<LockLost>();
  return {
    lost,
    keep() {
      if (lock?.isInPlace()) return false;
      lock?.release();
      lock = takeLock(path);
      failures = lock ? 0 : failures + 1;
      if (failures === MAX_FAILURES) resolve(new LockLost());
      return lock !== undefined;
    },
    release: () => lock?.release(),
  };
};
