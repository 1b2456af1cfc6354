import { isVisibleText } from "./visible-text.ts";

const CONTROL = /\p{Cc}/u;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Counts code points. A string has at most as many of them as UTF-16 units, so most strings need no count. */
export const hasAtMost = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && [...text].length <= max);

/** True for a line of 1 to `max` code points that shows all of its characters, and at least one. */
export const isLine = (value: unknown, max: number): value is string =>
  typeof value === "string" &&
  hasAtMost(value, max) &&
  VISIBLE.test(value) &&
  !CONTROL.test(value) &&
  isVisibleText(value);

/** The rule of `isLine`, after the name of a field. */
export const lineRule = (max: number): string =>
  `must be a string of 1 to ${max} characters, not only white space, without control, invisible, private-use or unassigned characters`;

/** Adds a full stop unless the text ends with a punctuation mark. */
export const sentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);

const MAX_QUOTED = 64;

/** A client's text for a message: quoted, escaped and truncated. */
export const quoted = (text: string): string => {
  const quote = JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}...` : text);
  return isVisibleText(quote) ? quote : quote.replaceAll(UNPRINTABLE, escape);
};

/** Control and format characters, which can move a terminal's cursor or reverse the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A character of two UTF-16 units takes two escapes. */
const escape = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");

/** The characters that a shell interprets inside double quotes. */
const SHELL_ACTIVE = /["$`\\!]/;

/** A word of a command that the user may copy into a shell. Untrusted text in it stays text, and moves no cursor. */
export const shellWord = (text: string): string => {
  if (text.search(UNPRINTABLE) !== -1)
    return `$'${text.replaceAll(/[\\']/g, String.raw`\$&`).replaceAll(UNPRINTABLE, escape)}'`;
  return SHELL_ACTIVE.test(text) ? `'${text.replaceAll("'", String.raw`'\''`)}'` : `"${text}"`;
};

/** Characters that move a terminal's cursor, or override the direction of text. Those that join letters and emoji do neither. */
const MOVING = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** A name for a terminal, in which nothing but its own text changes. */
export const oneLine = (text: string): string => text.replaceAll(MOVING, escape);

const ELLIPSIS = "...";

const cut = (text: string, maxLength: number): string =>
  text.length > maxLength ? text.slice(0, maxLength - ELLIPSIS.length) + ELLIPSIS : text;

/** The text of an untrusted server, safe to show anywhere: escaped as in JSON, and at most `maxLength` characters long. */
export const printable = (text: string, maxLength = 300): string =>
  cut(cut(text, maxLength).replaceAll(UNPRINTABLE, escape), maxLength);

/**
 * A name for comparison: compatible forms and cases of a letter are equal, and white space counts only between words. Rows
 * written when all white space counted keep their value until they are renamed.
 */
export const foldName = (name: string): string =>
  name.normalize("NFKC").toLowerCase().replaceAll(/\s+/gu, " ").trim();
