import { isLine, lineRule, quoted } from "../lib/text.ts";

/** A command was called incorrectly. The message shows the correct usage. The exit code is 2. */
export class UsageError extends Error {
  override name = "UsageError";
}

/**
 * Makes the parser of an argument or a flag.
 * @param read returns undefined for a wrong value
 * @param form completes the message of the UsageError: `--grace: "1y" is not ...`
 */
export const valueOf =
  <Value>(name: string, read: (text: string) => Value | undefined, form: string) =>
  (text: string): Value => {
    const value = read(text);
    if (value === undefined) throw new UsageError(`${name}: ${JSON.stringify(text)} is not ${form}`);
    return value;
  };

/** Makes the parser of an argument or a flag that takes one line of text. */
export const lineOf =
  (name: string, maxLength: number) =>
  (text: string): string => {
    if (isLine(text, maxLength)) return text;
    throw new UsageError(`${name}: ${quoted(text)} ${lineRule(maxLength)}`);
  };

/** Reads a number from 1 up to a number of digits. */
export const readNumber =
  (digits: number) =>
  (text: string): number | undefined =>
    /^[1-9]\d*$/.test(text) && text.length <= digits ? Number(text) : undefined;

/** Reads the id of a row. */
export const readId = readNumber(15);

const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Reads a time span such as `90s`, `30m`, `12h`, `7d`, in seconds. */
export const readSpan = (text: string): number | undefined => {
  const [, digits, unit] = /^([0-9]{1,9})([smhd])$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * UNITS[unit as keyof typeof UNITS];
};
