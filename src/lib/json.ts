import { Fault } from "./errors.ts";
import { quoted } from "./text.ts";

const INTEGER = /^-?[0-9]+$/;
const DECIMAL = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
/** An integer with this many digits is always exact as a number. */
const SAFE_DIGITS = 15;
/** More zeros than any stored integer has. A number with more of them is refused: it becomes NaN. */
const MAX_ZEROS = 40;
export const MAX_DEPTH = 32;
/** In characters of the source. No stored number is longer, and parsing a longer one exactly would only cost time. */
const MAX_LENGTH = 1000;

/**
 * The exact integer of a JSON number: `1`, `1.0` and `1e0` are the same. Undefined if the number has a fraction or is larger
 * than any that we store.
 */
export const integerOf = (source: string): bigint | undefined => {
  if (source.length > MAX_LENGTH) return undefined;
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
 * Makes integers exact: below 2^53 they are numbers, above they are raw JSON, whose `rawJSON` has the digits. (Elysia cannot
 * write a bigint into an error message.)
 */
const exactNumber = (_key: string, value: unknown, { source }: { source?: string }): unknown => {
  if (typeof value !== "number" || source === undefined) return value;
  if (source.length <= SAFE_DIGITS && INTEGER.test(source)) return value;
  const integer = integerOf(source);
  // A double rounds small fractions away, but a number with a fraction must not become an integer.
  if (integer === undefined) return Number.isInteger(value) ? Number.NaN : value;
  return jsonInteger(integer);
};

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;

/** Walks the tokens of valid JSON. @throws Fault invalid_request for a repeated key or deep nesting */
const assertUniqueKeysAndDepth = (text: string): void => {
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
 * Parses JSON (RFC 8259) strictly: refuses repeated keys and deep nesting, and keeps integers exact.
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
  assertUniqueKeysAndDepth(text);
  return value;
};

/** The integer in a value from `parseJson`; undefined if it is not an integer. */
export const bigintOf = (value: unknown): bigint | undefined => {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return JSON.isRawJSON(value) ? BigInt(value.rawJSON) : undefined;
};

/** An integer as JSON with all its digits, which `bigintOf` reads. (A replacer would take five times as long.) */
export const jsonInteger = (integer: bigint): number | RawJSON => {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : JSON.rawJSON(String(integer));
};
