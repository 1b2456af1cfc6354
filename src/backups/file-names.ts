/** Backups in a directory are named by their time in UTC, to the millisecond: sorting by name sorts by time. */

const NAME = /^adoption-store-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)\.(\d{3})Z\.db$/;

/** A time in UTC as file names have it: `20261205T030405.067Z`. */
export const fileTime = (time: number): string => new Date(time).toISOString().replaceAll(/[-:]/g, "");

export const backupName = (time: number): string => `adoption-store-${fileTime(time)}.db`;

/** When the backup of this name was taken; undefined for every other file. */
export const backupTime = (name: string): number | undefined => {
  const [, year, month, day, hour, minute, second, ms] = NAME.exec(name) ?? [];
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
  return Number.isNaN(time) || backupName(time) !== name ? undefined : time;
};

/**
 * The backups to remove so that the newest `keep` stay; never `latest`, and no file without the name of a backup. A backup
 * named ahead of the clock does not count and stays: otherwise one day with a wrong clock would cost all others.
 */
export const surplus = (names: readonly string[], latest: string, keep: number, now: number): string[] =>
  names
    .filter((name) => name !== latest && (backupTime(name) ?? Infinity) <= now)
    .toSorted()
    .toReversed()
    .slice(keep - 1);

/** When the newest of these backups was taken, ignoring those ahead of the clock; undefined if there is none. */
export const newestTime = (names: readonly string[], now: number): number | undefined => {
  const times = names.flatMap((name) => backupTime(name) ?? []).filter((time) => time <= now);
  return times.length === 0 ? undefined : Math.max(...times);
};

/** The name of a backup that is being written; it shows which process writes it. */
export const temporaryName = (pid: number): string => `.adoption-store-backup-${pid}.tmp`;

/** The number of the process that made a file for its backup; undefined for every other file. */
export const writerOf = (name: string): number | undefined => {
  const [, pid] = /^\.adoption-store-backup-(\d+)\.tmp/.exec(name) ?? [];
  return pid === undefined ? undefined : Number(pid);
};

/** The empty file beside a temporary file, which the process that writes has locked. */
export const LOCK_SUFFIX = ".lock";

export const isTemporary = (name: string): boolean =>
  writerOf(name) !== undefined && !name.includes(`.tmp${LOCK_SUFFIX}`);
