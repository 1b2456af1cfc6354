const numbers = new Intl.NumberFormat("en");

/** "1,234" */
export const formatCount = (count: number): string => numbers.format(count);

/** "1 animal", "1,234 animals" */
export const pluralize = (count: number, thing: string, things = `${thing}s`): string =>
  `${formatCount(count)} ${count === 1 ? thing : things}`;

/** "50 of 1,234 animals shown", or "1,234 animals" once there are no more. @param all undefined if it is not known */
export const shownOf = (
  shown: number,
  all: number | undefined,
  hasMore: boolean,
  thing: string,
  things = `${thing}s`,
): string => {
  if (!hasMore) return pluralize(shown, thing, things);
  if (all === undefined) return `${pluralize(shown, thing, things)} shown`;
  return `${formatCount(shown)} of ${pluralize(all, thing, things)} shown`;
};

const UNITS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const satisfies readonly (readonly [Intl.RelativeTimeFormatUnit, number])[];

const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const shortWords = new Intl.RelativeTimeFormat("en", { style: "short" });

const format = (seconds: number, words: Intl.RelativeTimeFormat): string => {
  const found = UNITS.find(([, length]) => Math.abs(seconds) >= length);
  if (!found) return seconds > 0 ? "in a moment" : "just now";
  const [unit, length] = found;
  // An expiry in 7 days still reads so a minute later, and an age of one day does not read as two.
  return words.format(seconds > 0 ? Math.round(seconds / length) : Math.trunc(seconds / length), unit);
};

/** "2 hours ago", "in 3 days". @param seconds from now; negative: past */
export const relative = (seconds: number): string => format(seconds, words);

/** "13 min ago", "in 3 days": for tables. */
export const shortRelative = (seconds: number): string => format(seconds, shortWords).replace(".", "");

/** "41 minutes", "2 hours": a length of time. */
export const duration = (seconds: number): string => {
  const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? (["second", 1] as const);
  const count = Math.max(1, Math.round(seconds / length));
  return pluralize(count, unit);
};

const BEGIN = "\u2068";
const END = "\u2069";

/** Marks a name in a sentence without quotes, for `Sentence`: Unicode's first strong isolate. */
export const isolated = (name: string): string => `${BEGIN}${name.replaceAll(END, "")}${END}`;
