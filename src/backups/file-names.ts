/** Backups in a directory are named by their time, to the millisecond in UTC: sorted by name is sorted by time. */

const NAME = /^adoption-store-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)\.(\d{3})Z\.db$/;

export const backupName = (time: number): string =>
  `adoption-store-${new Date(time).toISOString().replaceAll(/[-:]/g, "")}.db`;

/** When the backup of this name was taken; undefined for every other file. */
export const backupTime = (name: string): number | undefined => {
  const [, year, month, day, hour, minute, second, ms] = NAME.exec(name) ?? [];
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
  return Number.isNaN(time) || backupName(time) !== name ? undefined : time;
};

/**
 * Which of these files go so that the newest `keep` backups stay: backups by their names only, and never `taken`. Those that
 * are named ahead of the clock do not count, and do not go either: a clock that was wrong for a day would cost the others.
 */
export const surplus = (names: readonly string[], taken: string, keep: number, now: number): string[] =>
  names
    .filter((name) => name !== taken && (backupTime(name) ?? Infinity) <= now)
    .toSorted()
    .toReversed()
    .slice(keep - 1);

/** When the newest was taken, as far as it is not ahead of the clock. */
export const newestTime = (names: readonly string[], now: number): number | undefined => {
  const times = names.flatMap((name) => backupTime(name) ?? []).filter((time) => time <= now);
  return times.length === 0 ? undefined : Math.max(...times);
};

/** What is being written; the process that writes it is known by it. */
export const temporaryName = (pid: number): string => `.adoption-store-backup-${pid}.tmp`;

/** The number of the process that made a file for its backup; undefined for every other file. */
export const writerOf = (name: string): number | undefined => {
  const [, pid] = /^\.adoption-store-backup-(\d+)\.tmp/.exec(name) ?? [];
  return pid === undefined ? undefined : Number(pid);
};

/** Beside what is being written: locked by the process that writes. Nothing is in it. */
export const LOCK_SUFFIX = ".lock";

export const isTemporary = (name: string): boolean =>
  writerOf(name) !== undefined && !name.includes(`.tmp${LOCK_SUFFIX}`);
