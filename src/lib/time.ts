/** Times are milliseconds UTC in the program and RFC 3339 on the wire. */

export interface Clock {
  /** Milliseconds UTC. */
  now(): number;
}

export const DAY_MS = 86_400_000;

export const systemClock: Clock = { now: Date.now };

/** The last time that RFC 3339 can express. */
export const LATEST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export const formatTime = (time: number): string => new Date(time).toISOString();

const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt]([01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/** Parses an RFC 3339 time from 1970 to 9999; undefined for anything else, such as 30 February. */
export const parseTime = (text: string): number | undefined => {
  if (!RFC3339.test(text)) return undefined;
  const time = Date.parse(text.toUpperCase());
  const [year, month, day] = text.slice(0, 10).split("-").map(Number) as [number, number, number];
  const exists = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
  return exists && time >= 0 && time <= LATEST_TIME ? time : undefined;
};

/** True for an existing day, such as 2024-02-29. */
export const isDate = (text: string): boolean => {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  // Some engines take 30 February for 1 March.
  return !Number.isNaN(time) && formatTime(time).startsWith(text);
};

/** Waits for work, which continues after the deadline. @throws the error of `late` if it takes longer than so many milliseconds */
export const withDeadline = async <Value>(
  work: Promise<Value>,
  ms: number,
  late: () => Error,
): Promise<Value> => {
  const { promise: deadline, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), ms);
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
};
