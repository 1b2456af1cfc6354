import { once } from "../../lib/lazy.ts";

const UNITS = [
  ["year", 365 * 86_400],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

/** Built on first use: it loads 3 MB of language data, which a server does not need. */
const format = once(() => new Intl.RelativeTimeFormat("en"));

/** Formats a time relative to `now`, in the largest unit that it fills: `3 minutes ago`, `in 90 days`. */
export const relativeTime = (time: number, now: number): string => {
  const seconds = Math.round((time - now) / 1000);
  if (seconds === 0) return "just now";
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  return format().format(Math.round(seconds / size), unit);
};
