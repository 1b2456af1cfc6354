import { expect, test } from "bun:test";
import fc from "fast-check";
import { character } from "../support/characters.ts";
import { parseExactly, textOf, writeExactly } from "../../src/client/exact.ts";

const LARGEST = 9223372036854775807n;

/** What the engine itself offers, which Node 20 and older browsers lack. */
const parseBySource = (text: string): unknown =>
  (JSON.parse as (text: string, reviver: unknown) => unknown)(
    text,
    (_name: string, value: unknown, { source = "" }: { source?: string }) =>
      typeof value === "number" && /^-?\d+$/.test(source) && !Number.isSafeInteger(value)
        ? BigInt(source)
        : value,
  );

/** JSON of any shape, with long integers, and with strings and names that look like the parser's marks. */
const anyValue = fc.letrec((tie) => ({
  text: fc.oneof(
    fc.string({ unit: character }),
    fc.constantFrom(
      "\u0000",
      "\u0000\u0000",
      "\u00009223372036854775807",
      '"\\u00001234567890123456789',
      "12345678901234567",
    ),
  ),
  value: fc.oneof(
    { maxDepth: 4 },
    fc.bigInt({ min: -LARGEST - 1n, max: LARGEST }).map((int) => ({ raw: String(int) })),
    fc.double({ min: -1e15, max: 1e15, noNaN: true }).map((double) => ({ raw: JSON.stringify(double) })),
    fc.constantFrom({ raw: "0.12345678901234567890" }, { raw: "true" }),
    tie("text").map((text) => ({ raw: JSON.stringify(text) })),
    fc
      .array(tie("value"))
      .map((items) => ({ raw: `[ ${items.map((item) => (item as Raw).raw).join(" ,\n")}]` })),
    fc.array(fc.tuple(tie("text"), tie("value"))).map((fields) => ({
      raw: `{${fields.map(([name, item]) => `${JSON.stringify(name)} : ${(item as Raw).raw}`).join(",")}}`,
    })),
  ),
})).value as fc.Arbitrary<Raw>;

interface Raw {
  raw: string;
}

test("JSON is parsed as the engine parses it with the sources of numbers", () => {
  fc.assert(
    fc.property(anyValue, ({ raw }) => {
      expect(parseExactly(raw)).toEqual(parseBySource(raw));
    }),
    { numRuns: 500 },
  );
});

test("JSON that is written and parsed again is unchanged", () => {
  fc.assert(
    fc.property(anyValue, ({ raw }) => {
      const value = parseBySource(raw);
      expect(parseExactly(writeExactly(value))).toEqual(value);
    }),
  );
});

test.each([
  ["9007199254740991", 9007199254740991],
  ["9007199254740992", 9007199254740992n],
  ["-9223372036854775808", -9223372036854775808n],
  ["9223372036854775807", LARGEST],
] as const)("JSON with %s is parsed as %p", (text, value) => {
  expect(parseExactly(`{"categoryId": ${text}}`)).toEqual({ categoryId: value });
  expect(writeExactly({ categoryId: value })).toBe(`{"categoryId":${text}}`);
});

test("a number in JSON with a fraction or an exponent is a number", () => {
  expect(parseExactly("[1234567890123456.5, 1000000000000000000e3]")).toEqual([1234567890123456.5, 1e21]);
});

test("JSON without long digits is written as JSON.stringify writes it", () => {
  const value = {
    a: undefined,
    b: [undefined, null, Number.NaN],
    c: new Date(0),
    d: '\0"',
    'e"': { f: 1.5 },
  };
  expect(writeExactly(value)).toBe(JSON.stringify(value));
});

test("malformed JSON is refused, also with long digits", () => {
  for (const text of ["{", '{"a": 01234567890123456789}', "[9223372036854775807", '"\\x9223372036854775807"'])
    expect(() => parseExactly(text)).toThrow(SyntaxError);
});

test("a number that may have been rounded is not written", () => {
  expect(() => writeExactly({ categoryId: Number(LARGEST) })).toThrow("as bigint");
});

test("a number that may have been rounded cannot be part of a path or query", () => {
  expect(() => textOf(2 ** 53)).toThrow(RangeError);
  expect(textOf(LARGEST)).toBe("9223372036854775807");
});
