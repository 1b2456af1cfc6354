import { styleText } from "node:util";
import { once } from "../../lib/lazy.ts";

type Style = Parameters<typeof styleText>[0];

/** Text in colour if the stream is a terminal; NO_COLOR and FORCE_COLOR override that. */
export const coloured = (style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string =>
  styleText(style, text, { stream });

export const heading = (text: string): string => coloured("bold", text);

const BYTE_UNITS = ["bytes", "kB", "MB", "GB"];

/** `1234567` as `1.2 MB`. */
export const formatBytes = (bytes: number): string => {
  const step = Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** step;
  return `${step === 0 ? value : value.toFixed(1)} ${BYTE_UNITS[step]}`;
};

/** The first `max` names, and the number of the others: `a, b, and 3 more`. */
export const formatNames = (names: readonly string[], max: number): string =>
  names.slice(0, max).join(", ") + (names.length > max ? `, and ${names.length - max} more` : "");

/** `1234567` as `1,234,567`. */
export const formatCount = (count: number): string => count.toLocaleString("en-US");

const TIME_UNITS = [
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
  const [unit, size] = TIME_UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  return format().format(Math.round(seconds / size), unit);
};

export const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

export const printJson = (value: unknown): void => print(JSON.stringify(value));

/** Prints one line to standard error. */
export const note = (message: string): void => {
  process.stderr.write(`adoption-store: ${message}\n`);
};

/** Prints why a command failed, in one line on standard error. */
export const noteError = (message: string): void => {
  process.stderr.write(`${coloured("red", "adoption-store:", process.stderr)} ${message}\n`);
};

/** Prints that nothing was done, because the user said no. */
export const printDeclined = (json: boolean | undefined, text: string): void =>
  printResult(json, { declined: true }, text);

/** Prints the result of a command: as JSON with `--json`, else in words. */
export const printResult = (json: boolean | undefined, value: unknown, text: string): void =>
  json ? printJson(value) : print(text);
