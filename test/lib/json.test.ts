import { expect, test } from "bun:test";
import { bigintOf, integerOf, jsonInteger, parseJson } from "../../src/lib/json.ts";
import { words } from "../support/words.ts";

test.each([
  ["1", 1n],
  ["-0", 0n],
  ["1.50e1", 15n],
  ["120e-1", 12n],
  ["0e999999", 0n],
  ["123456789012345678901234567890", 123456789012345678901234567890n],
  ["-1.0", -1n],
  ["-12e2", -1200n],
  ["-12.50E+2", -1250n],
  ["0.0012e4", 12n],
  ["100e-2", 1n],
  ["10.00", 10n],
  ["0.000", 0n],
  ["12e+1", 120n],
  ["1e40", 10n ** 40n],
  ["1".repeat(1000), BigInt("1".repeat(1000))],
])("%s in JSON is the integer %p", (source, integer) => {
  expect(integerOf(source)).toBe(integer);
});

const NO_INTEGERS = words(`
  1.5 1e-1 1e41 10e40 0.1 120e-2 x1.0 1.0x 1x x1 1. .5 1e --1 - 1e999999999999999999999 x`);

test.each([...NO_INTEGERS, "", "1".repeat(1001)])(
  "the text %j in JSON is not an integer that is stored",
  (source) => {
    expect(integerOf(source)).toBeUndefined();
  },
);

test("integers in JSON survive parsing and writing, regardless of their size", () => {
  const text = '{"a":9223372036854775807,"b":[-9223372036854775808,0.5,1e2],"c":"9223372036854775807"}';
  expect(JSON.stringify(parseJson(text))).toBe(
    '{"a":9223372036854775807,"b":[-9223372036854775808,0.5,100],"c":"9223372036854775807"}',
  );
  for (const integer of [0n, -1n, 2n ** 53n - 1n, 2n ** 53n, -(2n ** 63n)])
    expect(bigintOf(jsonInteger(integer))).toBe(integer);
});

test("a JSON text may have the same key in different objects", () => {
  expect(() => parseJson('{"a":{"a":1},"b":{"a":"a:a"},"c":["a","a"]}')).not.toThrow();
  expect(() => parseJson(String.raw`{"a\"":1,"a\\":2,"a":3}`)).not.toThrow();
});

const written = (text: string) => JSON.stringify(parseJson(text));

test.each([
  ["999999999999999", "999999999999999"],
  ["-99999999999999", "-99999999999999"],
  ["9007199254740991", "9007199254740991"],
  ["9007199254740993", "9007199254740993"],
  ["9007199254740993.0", "9007199254740993"],
  ["0.5", "0.5"],
  ["1.0", "1"],
  ["1.5e3", "1500"],
  ["-0", "0"],
  ["true", "true"],
  ["null", "null"],
  ['"1"', '"1"'],
])("the number %s in JSON is parsed exactly", (text, value) => {
  expect(written(text)).toBe(value);
});

test("an integer in JSON is a number up to 2^53, and raw JSON above", () => {
  expect(parseJson("9007199254740991")).toBe(9_007_199_254_740_991);
  expect(parseJson("9007199254740992")).toEqual(JSON.rawJSON("9007199254740992"));
  expect(parseJson("999999999999999")).toBe(999_999_999_999_999);
});

test.each(["1.0000000000000000001", "1e400", "9007199254740993.5", "1e41"])(
  "the number %s in JSON is not rounded to an integer",
  (text) => {
    expect(Number.isInteger(parseJson(text))).toBe(false);
  },
);

test("a number in JSON is read back as a bigint only if it is an integer", () => {
  expect(bigintOf(5)).toBe(5n);
  expect(bigintOf(JSON.rawJSON("9007199254740993"))).toBe(9_007_199_254_740_993n);
  for (const other of [0.5, 2 ** 53, Number.NaN, "5", null, undefined, {}])
    expect(bigintOf(other)).toBeUndefined();
});

const refusal = (text: string) => {
  try {
    parseJson(text);
    return "";
  } catch (error) {
    expect(error).toMatchObject({ code: "invalid_request" });
    return (error as Error).message;
  }
};

test("a JSON body may be nested 32 levels deep, but not deeper", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  expect(refusal(nested(32))).toBe("");
  expect(refusal(nested(33))).toBe("The body is nested deeper than 32 levels.");
  const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  expect(refusal(objects(32))).toBe("");
  expect(refusal(objects(33))).toBe("The body is nested deeper than 32 levels.");
  expect(refusal(`[${Array(100).fill(nested(31)).join(",")}]`)).toBe("");
  expect(refusal(`[${Array(100).fill(objects(31)).join(",")}]`)).toBe("");
});

test("a JSON body that is nested too deeply for the parser is refused in the same way", () => {
  const depth = 1_000_000;
  expect(refusal("[".repeat(depth) + "]".repeat(depth))).toMatch(/nested/);
});

test("a JSON body that has a key twice is refused, and the key is named", () => {
  expect(refusal('{"a":1,"a":1}')).toBe('"a": appears twice in one object');
  expect(refusal('{"a":[{"b":1,"b":2}]}')).toBe('"b": appears twice in one object');
  expect(refusal('{"a":[{}],"a":1}')).toBe('"a": appears twice in one object');
  expect(refusal('{"a":{"b":1},"a":1}')).toBe('"a": appears twice in one object');
  expect(refusal(String.raw`{"a":1,"\u0061":1}`)).toBe('"a": appears twice in one object');
  expect(refusal('{"a":"","b":1,"b":2}')).toBe('"b": appears twice in one object');
  expect(refusal('{"":1,"":2}')).toBe('"": appears twice in one object');
});

test("a JSON body may have brackets and colons in its strings", () => {
  expect(refusal('{"a":"[[{{::","b":"}]","[":{"{":1}}')).toBe("");
  expect(refusal(`{"a":"${"[".repeat(100)}"}`)).toBe("");
});

test("a body that is not JSON is refused, with the reason and without the parser's name", () => {
  expect(refusal("{")).toBe("The body is not valid JSON: Expected '}'.");
  expect(refusal("")).toBe("The body is not valid JSON: Unexpected EOF.");
});
