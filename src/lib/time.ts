/** Times are milliseconds UTC inside, RFC 3339 outside. */

export interface Clock {
  /** Milliseconds UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** The last time that RFC 3339 can write. */
export const LATEST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export const formatTime = (time: number): string => new Date(time).toISOString();

const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt]([01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/** Reads an RFC 3339 time from 1970 to 9999; undefined for anything else, a date that does not exist included. */
export const parseTime = (text: string): number | undefined => {
  if (!RFC3339.test(text)) return undefined;
  const time = Date.parse(text.toUpperCase());
  const [year, month, day] = text.slice(0, 10).split("-").map(Number) as [number, number, number];
  const exists = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
  return exists && time >= 0 && time <= LATEST_TIME ? time : undefined;
};
