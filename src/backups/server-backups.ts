import { existsSync } from "node:fs";
import { makeDirectories } from "../lib/durable.ts";
import type { Logger } from "../lib/log.ts";
import { type Clock, systemClock } from "../lib/time.ts";
import type { BackupResult } from "./backup.ts";
import { backupProcess } from "./backup-process.ts";
import { newestTime } from "./file-names.ts";
import { type BackupScheduler, backupScheduler } from "./schedule.ts";
import { backupsIn } from "./backup-directory.ts";

/** The settings of the server's own backups. */
interface ServerBackupSettings {
  dataDir: string;
  /** The time from one backup to the next, in milliseconds; undefined: the server takes none. */
  backupSchedule: number | undefined;
  backupDir: string;
  /** How many backups stay. */
  backupKeep: number;
  /** Bytes. */
  diskReserve: number;
}

/**
 * The server's scheduled backups, each taken by a separate process; undefined without BACKUP_SCHEDULE.
 * @param storeId only backups of this store count, and are rotated
 */
export const serverBackups = (
  { dataDir, backupSchedule: every, backupDir: directory, backupKeep, diskReserve }: ServerBackupSettings,
  log: Logger,
  storeId: string | undefined,
  {
    clock = systemClock,
    program,
    env,
  }: {
    clock?: Clock;
    /** The environment of the process. By default that of this one at its start. */
    env?: Readonly<Record<string, string | undefined>>;
    /** The command line to run instead of this program. */
    program?: string[];
  } = {},
): BackupScheduler | undefined => {
  if (every === undefined) return undefined;
  const reserve = `${Math.ceil(diskReserve / 2 ** 10)}KiB`;
  const flags = ["--data-dir", dataDir, "--disk-reserve", reserve, "--keep", String(backupKeep)];
  const child = backupProcess([`${directory}/`, ...flags, "--scheduled", "--json"], directory, {
    program,
    env,
  });
  const take = async () => {
    makeDirectories(directory);
    const { file, bytes, sites, removed, leftAlone } = JSON.parse(await child.take()) as BackupResult;
    log.info({ file, bytes, removed: removed.length, leftAlone: leftAlone.length }, "backup taken");
    if (sites && sites.missing > 0)
      log.warn(
        { missing: sites.missing },
        "files of deployed sites are missing or damaged, and not in this backup, so no older backup was removed",
      );
  };
  const newest = () =>
    existsSync(directory) ? newestTime(backupsIn(directory, storeId).own, clock.now()) : undefined;
  const onError = (error: unknown) => log.error({ err: error }, "the backup failed");
  return backupScheduler({ every, newest, take, cancel: child.cancel, clock, onError });
};
