/** Keeps 64-bit integers exact in JSON: integers that a double cannot hold are read as bigint, and written as plain digits. */

type Reviver = (this: unknown, name: string, value: unknown, context: { source?: string }) => unknown;

const INTEGER = /^-?\d+$/;

const exactly: Reviver = (_name, value, context) =>
  typeof value === "number" && !Number.isSafeInteger(value) && INTEGER.test(context?.source ?? "")
    ? BigInt(context.source as string)
    : value;

export const parseExactly = (text: string): unknown =>
  (JSON.parse as (text: string, reviver: Reviver) => unknown)(text, exactly);

/** Marks a bigint in the text until its digits replace the mark. It occurs nowhere else. */
const MARK = "\u0000int64:";
const MARKED = /"\\u0000int64:(-?\d+)"/g;

export const writeExactly = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    typeof part === "bigint" ? `${MARK}${part}` : part,
  ).replaceAll(MARKED, "$1");
