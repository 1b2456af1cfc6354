import { existsSync } from "node:fs";
import { assertBackupDirectory } from "../backups/destination.ts";
import { isOverdue } from "../backups/schedule.ts";
import { newestBackupIn, storeIdOfFile } from "../backups/backup-directory.ts";
import { databasePath } from "../data-dir/paths.ts";
import type { Probe } from "./doctor-finding.ts";

const at = (time: number): string => new Date(time).toISOString();

export const backups: Probe = ({ dataDir, backupSchedule: every, backupDir: directory }) => {
  if (every === undefined)
    return {
      warning:
        "none are scheduled: set BACKUP_SCHEDULE=24h and the server takes them, or run adoption-store backup DIRECTORY on your own schedule",
    };
  assertBackupDirectory(directory, dataDir);
  const place = `${directory} can be written`;
  if (!existsSync(databasePath(dataDir))) return place;
  const now = Date.now();
  const newest = existsSync(directory)
    ? newestBackupIn(directory, storeIdOfFile(databasePath(dataDir)), now)
    : undefined;
  if (newest === undefined)
    return { warning: `${place}; there is no backup yet: start the server, or look at its log` };
  if (isOverdue(newest + every, every, now))
    return {
      warning: `${place}; the newest is from ${at(newest)}, and another was due at ${at(newest + every)}: start the server, or look at its log`,
    };
  return `${place}; the newest is from ${at(newest)}`;
};
