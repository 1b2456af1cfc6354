import { existsSync } from "node:fs";
import { assertBackupDirectory } from "../backups/destination.ts";
import { isOverdue } from "../backups/schedule.ts";
import { newestBackupIn, storeIdentityIn } from "../backups/backup-directory.ts";
import { isDataDirLocked } from "../data-dir/lock.ts";
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
  const advice = isDataDirLocked(dataDir)
    ? "look at the server's log"
    : "start the server, which then takes one";
  const store = storeIdentityIn(dataDir);
  const newest = existsSync(directory) ? newestBackupIn(directory, store?.id, now) : undefined;
  const due = (newest ?? store?.createdAt ?? now) + every;
  const last = newest === undefined ? "there is no backup yet" : `the newest is from ${at(newest)}`;
  if (isOverdue(due, every, now))
    return { warning: `${place}; ${last}, and one was due at ${at(due)}: ${advice}` };
  return `${place}; ${last}`;
};
