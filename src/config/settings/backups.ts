import { anyText, integer, optional, span } from "../parse.ts";
import type { Setting } from "../setting.ts";

/** Backups that the server takes. */
export const BACKUPS = {
  backupSchedule: {
    env: "BACKUP_SCHEDULE",
    flag: "backup-schedule",
    type: "text",
    placeholder: "span",
    fallback: "",
    example: "24h",
    form: "a time span from 1m to 365d, such as 24h",
    help: "time between two backups of the server, such as 24h; without it the server takes none",
    parse: optional(span(60_000, 365 * 86_400_000)),
  },
  backupDir: {
    env: "BACKUP_DIR",
    flag: "backup-dir",
    type: "text",
    placeholder: "directory",
    fallback: "",
    example: "/mnt/backups",
    form: "a directory",
    help: "directory of the scheduled backups, ideally on another disk; without it DATA_DIR/backups",
    parse: optional(anyText),
  },
  backupKeep: {
    env: "BACKUP_KEEP",
    flag: "backup-keep",
    type: "number",
    placeholder: "number",
    fallback: "7",
    form: "a number from 1 to 10000",
    help: "number of scheduled backups to keep; the server removes older ones",
    parse: integer(1, 10_000),
  },
} as const satisfies Record<string, Setting>;
