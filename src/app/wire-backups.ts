import { existsSync } from "node:fs";
import type { BackupResult } from "../backups/backup.ts";
import { backupProcess } from "../backups/child.ts";
import { newestOf } from "../backups/names.ts";
import { backupsIn } from "../backups/stores.ts";
import { type BackupScheduler, backupScheduler } from "../backups/schedule.ts";
import type { Config } from "../config/config.ts";
import { makeDirectories } from "../lib/durable.ts";
import type { Logger } from "../lib/log.ts";
import { type Clock, systemClock } from "../lib/time.ts";

export interface BackupOverrides {
  clock?: Clock;
  /** What is started in place of this program. */
  program?: string[];
}

/** The server's own backups: one keeper, or none if there is no BACKUP_SCHEDULE. */
export const wireBackups = (
  { dataDir, backupSchedule: every, backupDir: directory, backupKeep, diskReserve }: Config,
  log: Logger,
  storeId: string | undefined,
  { clock = systemClock, program }: BackupOverrides = {},
): BackupScheduler[] => {
  if (every === undefined) return [];
  const reserve = `${Math.ceil(diskReserve / 2 ** 10)}KiB`;
  const flags = ["--data-dir", dataDir, "--disk-reserve", reserve, "--keep", String(backupKeep)];
  const child = backupProcess([`${directory}/`, ...flags, "--json"], directory, program);
  const take = async () => {
    makeDirectories(directory);
    const { file, bytes, sites, removed, leftAlone } = JSON.parse(await child.take()) as BackupResult;
    log.info({ file, bytes, removed: removed.length, leftAlone: leftAlone.length }, "backup taken");
    if (sites && sites.missing > 0)
      log.warn(
        { missing: sites.missing },
        "files of deployed sites are missing or damaged, and not in this backup; no older one is removed",
      );
  };
  const newest = () =>
    existsSync(directory) ? newestOf(backupsIn(directory, storeId).own, clock.now()) : undefined;
  const failed = (error: unknown) => log.error({ err: error }, "no backup could be taken");
  return [backupScheduler({ every, newest, take, abandon: child.abandon, clock, failed })];
};
