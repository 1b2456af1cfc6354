/** Integers of 64 bits through JSON: what a double cannot hold stays a bigint on the way in, and plain digits on the way out. */

type Reviver = (this: unknown, name: string, value: unknown, context: { source?: string }) => unknown;

const INTEGER = /^-?\d+$/;

const exactly: Reviver = (_name, value, context) =>
  typeof value === "number" && !Number.isSafeInteger(value) && INTEGER.test(context?.source ?? "")
    ? BigInt(context.source as string)
    : value;

export const parseExactly = (text: string): unknown =>
  (JSON.parse as (text: string, reviver: Reviver) => unknown)(text, exactly);

/** A bigint's place in a text that has none like it. */
const MARK = "\u0000int64:";
const MARKED = /"\\u0000int64:(-?\d+)"/g;

export const writeExactly = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    typeof part === "bigint" ? `${MARK}${part}` : part,
  ).replaceAll(MARKED, "$1");
