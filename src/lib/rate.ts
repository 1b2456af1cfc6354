import type { Rate } from "./rate-limiter.ts";

const UNITS = { s: 1, sec: 1, min: 60, h: 3600, hour: 3600 } as const;
/** A rate as text: `600/min`. */
export const RATE_PATTERN = "^([1-9][0-9]{0,8})/(s|sec|min|h|hour)$";
const FORM = new RegExp(RATE_PATTERN);

/** Parses `600/min`, `10/s` or `5000/h`; undefined for anything else. */
export const parseRate = (text: string): Rate | undefined => {
  const match = FORM.exec(text);
  if (!match) return undefined;
  return { requests: Number(match[1]), seconds: UNITS[match[2] as keyof typeof UNITS] };
};

export const formatRate = ({ requests, seconds }: Rate): string =>
  `${requests}/${seconds === 1 ? "s" : seconds === 60 ? "min" : "h"}`;

/**
 * True if `other` never allows more requests than `own`, neither in the long run nor in a burst: 600/min allows 600 requests
 * in one second.
 */
export const isWithinRate = (own: Rate, other: Rate): boolean =>
  other.requests <= own.requests && other.requests * own.seconds <= own.requests * other.seconds;
