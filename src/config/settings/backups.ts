import { anyText, integer, optional, span } from "../parse.ts";
import type { Setting } from "../setting.ts";

/** Backups that the server takes. */
export const BACKUPS = {
  backupSchedule: {
    env: "BACKUP_SCHEDULE",
    flag: "backup-schedule",
    fallback: "",
    form: "a time span from 1m to 365d, such as 24h",
    help: "age of the newest backup at which the server takes another; unset: no backups",
    parse: optional(span(60_000, 365 * 86_400_000)),
  },
  backupDir: {
    env: "BACKUP_DIR",
    flag: "backup-dir",
    fallback: "",
    form: "a directory",
    help: "directory of the server's scheduled backups, preferably on another disk; by default DATA_DIR/backups",
    parse: optional(anyText),
  },
  backupKeep: {
    env: "BACKUP_KEEP",
    flag: "backup-keep",
    fallback: "7",
    form: "a number from 1 to 10000",
    help: "number of scheduled backups to keep",
    parse: integer(1, 10_000),
  },
} as const satisfies Record<string, Setting>;
