/** Backups are named by their time in UTC, to the millisecond, so that sorting by name sorts by time. */

const NAME = /^adoption-store-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)\.(\d{3})Z\.db$/;

/** A time in UTC as file names have it: `20261205T030405.067Z`. */
export const fileTime = (time: number): string => new Date(time).toISOString().replaceAll(/[-:]/g, "");

export const backupName = (time: number): string => `adoption-store-${fileTime(time)}.db`;

/** The time in the name of a backup; undefined for other names. */
export const backupTime = (name: string): number | undefined => {
  const [, year, month, day, hour, minute, second, ms] = NAME.exec(name) ?? [];
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
  return Number.isNaN(time) || backupName(time) !== name ? undefined : time;
};

/**
 * The backups to remove so that the newest `keep` stay. Never contains `latest` or a file that is not named as a backup.
 * Backups from the future do not count and stay: otherwise one day with a wrong clock would remove all others.
 */
export const surplus = (names: readonly string[], latest: string, keep: number, now: number): string[] =>
  names
    .filter((name) => name !== latest && (backupTime(name) ?? Infinity) <= now)
    .toSorted()
    .toReversed()
    .slice(keep - 1);

/** The name of an unfinished backup; it contains the id of the process that writes it. */
export const temporaryName = (pid: number): string => `.adoption-store-backup-${pid}.tmp`;

/** The process id in the name of a backup's temporary file; undefined for other names. */
export const writerOf = (name: string): number | undefined => {
  const [, pid] = /^\.adoption-store-backup-(\d+)\.tmp/.exec(name) ?? [];
  return pid === undefined ? undefined : Number(pid);
};

/** The end of the name of the empty file that the writing process locks. */
export const LOCK_SUFFIX = ".lock";

export const isTemporary = (name: string): boolean =>
  writerOf(name) !== undefined && !name.includes(`.tmp${LOCK_SUFFIX}`);
