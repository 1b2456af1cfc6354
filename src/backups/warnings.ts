import { type BackupStatus, isOverdue } from "./schedule.ts";

/** A warning of `/readyz` about scheduled backups. */
interface BackupWarning {
  code: "backups_fail" | "backup_overdue";
  count: number;
  message: string;
}

const newestIn = ({ lastSuccess }: BackupStatus): string =>
  lastSuccess === undefined
    ? "there is no backup"
    : `the newest backup is from ${new Date(lastSuccess).toISOString()}`;

const failing = (status: BackupStatus): BackupWarning => ({
  code: "backups_fail",
  count: status.failures,
  message: `The last ${status.failures === 1 ? "attempt" : `${status.failures} attempts`} at a backup failed, and ${newestIn(status)}: ${status.reason}`,
});

const overdue = (status: BackupStatus): BackupWarning => ({
  code: "backup_overdue",
  count: 1,
  message: `A backup was due at ${new Date(status.due).toISOString()}, and ${newestIn(status)}: the server's log says why.`,
});

/**
 * @param status undefined if no backups are scheduled, or if the server has just started
 * @param every the schedule, in milliseconds
 */
export const backupWarnings = (
  status: BackupStatus | undefined,
  every: number,
  now: number,
): BackupWarning[] => [
  ...(status && status.failures > 0 ? [failing(status)] : []),
  ...(status && isOverdue(status.due, every, now) ? [overdue(status)] : []),
];
