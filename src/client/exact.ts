/**
 * JSON with exact integers: an integer that a double can hold is a number, any other a bigint. Each integer has one form, so
 * `===`, `Map` and `Set` work. The reviver's `context.source` would be shorter, but Node 20 and older browsers lack it.
 */

/** A 64-bit integer: a number from -(2^53 - 1) to 2^53 - 1, a bigint beyond. */
export type Int64 = number | bigint;

/** Strings, with the colon after a key, and numbers. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG = /\d{16}/;
const LONG_INTEGER = /^-?[1-9]\d{15,}$/;

/** Begins a string that stands for an integer. A string that begins with it already gets it twice. */
const MARK = "\0";
const WRITTEN_MARK = String.raw`\u0000`;

const markToken = (token: string): string => {
  if (token.startsWith(`"${WRITTEN_MARK}`) && token.endsWith('"')) return `"${WRITTEN_MARK}${token.slice(1)}`;
  const isInexact = LONG_INTEGER.test(token) && !Number.isSafeInteger(Number(token));
  return isInexact ? `"${WRITTEN_MARK}${token}"` : token;
};

const unmark = (_name: string, value: unknown): unknown => {
  if (typeof value !== "string" || !value.startsWith(MARK)) return value;
  const rest = value.slice(MARK.length);
  return rest.startsWith(MARK) ? rest : BigInt(rest);
};

/** Parses JSON. @throws SyntaxError */
export const parseExactly = (text: string): unknown =>
  LONG.test(text) ? JSON.parse(text.replace(TOKEN, markToken), unmark) : JSON.parse(text);

/** @throws RangeError if the number is an integer that may have been rounded already */
const assertExact = (value: unknown): void => {
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new RangeError(`${value} may have been rounded: write integers beyond 2^53 as bigint, such as 9n.`);
};

/** The text of a value in a path or a query. @throws RangeError */
export const textOf = (value: unknown): string => {
  assertExact(value);
  return String(value);
};

const hasToJson = (value: object): value is { toJSON(): unknown } =>
  "toJSON" in value && typeof value.toJSON === "function";

const writeField = ([name, value]: [string, unknown]): string[] => {
  const written = write(value);
  return written === undefined ? [] : [`${JSON.stringify(name)}:${written}`];
};

/** As JSON.stringify, which refuses a bigint. */
const write = (value: unknown): string | undefined => {
  assertExact(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (hasToJson(value)) return write(value.toJSON());
  if (Array.isArray(value)) return `[${value.map((item) => write(item) ?? "null").join(",")}]`;
  return `{${Object.entries(value).flatMap(writeField).join(",")}}`;
};

/** Writes JSON. @throws RangeError if a number may have been rounded */
export const writeExactly = (value: unknown): string => write(value) ?? "null";
