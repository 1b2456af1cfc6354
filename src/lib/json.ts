import { Fault } from "./errors.ts";
import { quoted } from "./text.ts";

const INTEGER = /^-?[0-9]+$/;
const DECIMAL = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
/** Longest integer that a number holds exactly, whatever its digits. */
const SAFE_DIGITS = 15;
/** More zeros than any integer of ours has: an exponent beyond is left to the double it parses to. */
const MAX_ZEROS = 40;
const MAX_DEPTH = 32;
/** A number written longer than this is none of ours; reading it exactly would only cost time. */
const MAX_DIGITS = 1000;

/**
 * The integer that a JSON number denotes, exactly: `1`, `1.0` and `1e0` are one; undefined if it has a fraction or is
 * beyond any that we store.
 */
export const integerOf = (source: string): bigint | undefined => {
  if (source.length > MAX_DIGITS) return undefined;
  if (INTEGER.test(source)) return BigInt(source);
  const match = DECIMAL.exec(source);
  if (!match) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  if (digits === "") return 0n;
  const significant = digits.replace(/0+$/, "");
  const zeros = Number(exponent) - fraction.length + (digits.length - significant.length);
  if (!(zeros >= 0 && zeros <= MAX_ZEROS)) return undefined;
  return BigInt(`${sign}${significant}${"0".repeat(zeros)}`);
};

/**
 * Numbers that are integers come out exact: as a number below 2^53, beyond as raw JSON, whose `rawJSON` has the digits
 * (a bigint would not survive Elysia's own error messages).
 */
const exactNumber = (_key: string, value: unknown, { source }: { source?: string }): unknown => {
  if (typeof value !== "number" || source === undefined) return value;
  if (source.length <= SAFE_DIGITS && INTEGER.test(source)) return value;
  const integer = integerOf(source);
  // A double rounds small fractions away: what is written as no integer must not come out as one.
  if (integer === undefined) return Number.isInteger(value) ? Number.NaN : value;
  return jsonInteger(integer);
};

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;

/** Walks the tokens of text that is known to be JSON. @throws Fault for a repeated key or too deep a nesting. */
const assertPlain = (text: string): void => {
  const open: (Set<string> | undefined)[] = [];
  let last = "";
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "{" || token === "[") {
      if (open.push(token === "{" ? new Set() : undefined) > MAX_DEPTH)
        throw new Fault("invalid_request", `The body is nested deeper than ${MAX_DEPTH} levels.`);
    } else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      const keys = open.at(-1);
      const key = JSON.parse(last) as string;
      if (keys?.has(key)) throw new Fault("invalid_request", `${quoted(key)}: appears twice in one object`);
      keys?.add(key);
    }
    last = token;
  }
};

/**
 * Parses JSON text (RFC 8259), strictly: repeated keys and deep nesting are refused, integers are exact.
 * @throws Fault invalid_request
 */
export const parseJson = (text: string): unknown => {
  let value: unknown;
  try {
    value = JSON.parse(text, exactNumber);
  } catch (error) {
    const reason =
      error instanceof SyntaxError ? error.message.replace(/^JSON Parse error: /, "") : "nested too deeply";
    throw new Fault("invalid_request", `The body is not valid JSON: ${reason}.`);
  }
  assertPlain(text);
  return value;
};

/** The integer that `parseJson` made of a JSON number; undefined for everything else. */
export const bigintOf = (value: unknown): bigint | undefined => {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return JSON.isRawJSON(value) ? BigInt(value.rawJSON) : undefined;
};

/** The JSON number of an integer, with all its digits: what `bigintOf` reads. (A replacer would cost five times as much.) */
export const jsonInteger = (integer: bigint): number | RawJSON => {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : JSON.rawJSON(String(integer));
};
