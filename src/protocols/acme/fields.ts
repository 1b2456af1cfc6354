import { parseTime } from "../../lib/time.ts";
import { AcmeProblem, printable } from "./problem.ts";

/** Readers of untrusted JSON. Each throws AcmeProblem `malformed_answer` with the name of the field. */

const MAX_ENTRIES = 100;
const MAX_TEXT_LENGTH = 2000;

export const malformed = (detail: string): AcmeProblem =>
  new AcmeProblem({ type: "malformed_answer", detail: printable(detail) });

export type Fields = Record<string, unknown>;

export const readFields = (value: unknown, what: string): Fields => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw malformed(`${what} is not an object`);
  return value as Fields;
};

export const readText = (value: unknown, what: string, maxLength = MAX_TEXT_LENGTH): string => {
  if (typeof value !== "string") throw malformed(`${what} is not a string`);
  if (value === "" || value.length > maxLength)
    throw malformed(`${what} does not have 1 to ${maxLength} characters`);
  return value;
};

export const readList = <Item>(
  value: unknown,
  what: string,
  read: (item: unknown, what: string) => Item,
): Item[] => {
  if (!Array.isArray(value)) throw malformed(`${what} is not an array`);
  if (value.length > MAX_ENTRIES) throw malformed(`${what} has more than ${MAX_ENTRIES} entries`);
  return value.map((item, index) => read(item, `${what}[${index}]`));
};

export const readWord = <Word extends string>(value: unknown, what: string, words: readonly Word[]): Word => {
  const word = words.find((one) => one === value);
  if (word === undefined) throw malformed(`${what} is not one of ${words.join(", ")}`);
  return word;
};

/** RFC 3339. @returns milliseconds UTC */
export const readTime = (value: unknown, what: string): number => {
  const at = typeof value === "string" ? parseTime(value) : undefined;
  if (at === undefined) throw malformed(`${what} is not a time`);
  return at;
};

/** True for an http or https URL without a user, in printable ASCII. */
const isWebUrl = (text: string): boolean => {
  const url = /^[!-~]+$/.test(text) ? URL.parse(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
};

/** Returns the URL unchanged: a server compares URLs by their characters (RFC 8555 section 6.4). */
export const readUrl = (value: unknown, what: string): string => {
  const text = readText(value, what);
  if (!isWebUrl(text)) throw malformed(`${what} is not an http or https URL`);
  return text;
};

/** A URL for people to open: it is never requested. Anything but an http or https URL is left out, such as pebble's `data:`. */
export const linkField = <Key extends string>(key: Key, value: unknown): Partial<Record<Key, string>> => {
  const isLink = typeof value === "string" && value.length <= MAX_TEXT_LENGTH && isWebUrl(value);
  return isLink ? ({ [key]: value } as Record<Key, string>) : {};
};

const ABSENT = new Set<unknown>([undefined, null, ""]);

/** Reads a field, or leaves it out if it is absent, null or empty. */
export const optionalField = <Key extends string, Value>(
  key: Key,
  value: unknown,
  read: (value: unknown, what: string) => Value,
  what: string,
): Partial<Record<Key, Value>> =>
  ABSENT.has(value) ? {} : ({ [key]: read(value, what) } as Record<Key, Value>);
