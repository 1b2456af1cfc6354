import {
  preMigrationCopyPath,
  hasSpaceForCopy,
  migrationSpace,
  copyBeforeMigration,
} from "./pre-migration-copy.ts";
import type { Config } from "../../config/config.ts";
import { databasePath } from "../../data/data-dir/paths.ts";
import { openError } from "../../data/data-dir/storage.ts";
import { isFull } from "../../lib/storage-errors.ts";
import { logSize } from "../../data/db/wal.ts";
import { type Upgrade, openUpgrade, pendingAt } from "../../data/db/migrate-in-worker.ts";
import type { Logger } from "../../lib/log.ts";
import { attempt } from "../../lib/attempt.ts";

/** The server was stopped during a migration. The database is unchanged. */
export class MigrationStopped extends Error {
  override name = "MigrationStopped";
}

/** How often the progress of a step is logged. */
const PROGRESS_MS = 5000;

const asMegabytes = (bytes: number) => Math.ceil(bytes / 1e6);

/** Logs each step when it begins, and every few seconds while it runs. */
const stepLog = (path: string, log: Logger) => {
  let current: object = {};
  let since = performance.now();
  const progressTimer = setInterval(() => {
    const seconds = Math.round((performance.now() - since) / 1000);
    const written = asMegabytes(logSize(path));
    log.info({ ...current, seconds, logMegabytes: written }, "still migrating");
  }, PROGRESS_MS);
  return {
    begin(step: object, message: string) {
      current = step;
      since = performance.now();
      log.info(step, message);
    },
    [Symbol.dispose]: () => clearInterval(progressTimer),
  };
};

/** Copies the database if there is space. Otherwise logs a warning, and the migration continues without a copy. */
const copyFirst = async ({ dataDir, diskReserve }: Config, tag: string, upgrade: Upgrade, log: Logger) => {
  const needed = asMegabytes(migrationSpace(dataDir) + diskReserve);
  const warn = () =>
    log.warn(
      { needed },
      `the database is not copied first: DATA_DIR needs ${needed} MB of free space for it`,
    );
  if (!hasSpaceForCopy(dataDir, diskReserve)) return warn();
  log.info({ file: preMigrationCopyPath(dataDir, tag) }, "copying the database before it is migrated");
  const file = await copyBeforeMigration(dataDir, tag, upgrade.copyInto).catch((error: unknown) => {
    if (!isFull(error)) throw error;
  });
  if (file === undefined) return warn();
  log.info(
    { file },
    "copied; the copy is removed after 7 days. To go back: stop the server, then restore it with the older program",
  );
};

/** Copies and migrates the database. @param first the tag of the first migration @returns how many seconds it took */
const run = async (config: Config, first: string, log: Logger, signal: AbortSignal): Promise<number> => {
  const path = databasePath(config.dataDir);
  const start = performance.now();
  using steps = stepLog(path, log);
  const onStep = ({ tag, step, steps: total }: { tag: string; step: number; steps: number }) =>
    steps.begin({ migration: tag, step, of: total }, `migrating: ${tag}, step ${step} of ${total}`);
  await using upgrade = await openUpgrade(path, { onStep, signal });
  await copyFirst(config, first, upgrade, log);
  await upgrade.migrate();
  return Math.round((performance.now() - start) / 1000);
};

/** Tags of the migrations that the database still needs. If it cannot be read, `openData` reports the reason. */
const pendingTags = (path: string): string[] => attempt(() => pendingAt(path))?.map(({ tag }) => tag) ?? [];

/**
 * Brings the database of DATA_DIR up to date in a worker, if it is older. The caller must hold the lock.
 * @param onBegin called before the migration; not called if the database is up to date
 * @throws OperatorError, or MigrationStopped
 */
export const migrateData = async (
  config: Config,
  { log, signal, onBegin }: { log: Logger; signal: AbortSignal; onBegin: () => Promise<unknown> },
): Promise<void> => {
  const path = databasePath(config.dataDir);
  const tags = pendingTags(path);
  const [first] = tags;
  if (first === undefined) return;
  await onBegin();
  log.info({ migrations: tags }, "the database is older than this program: migrating it");
  try {
    const seconds = await run(config, first, log, signal);
    log.info({ migrations: tags.length, seconds }, "migrated");
  } catch (error) {
    if (signal.aborted) {
      // The signal may have ended the wait for a commit that succeeded.
      const state = pendingTags(path).length === 0 ? "migrated" : "unchanged";
      throw new MigrationStopped(`stopped; the database is ${state}`, { cause: error });
    }
    throw openError(config.dataDir, error);
  }
};
