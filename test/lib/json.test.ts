import { describe, expect, test } from "bun:test";
import { bigintOf, integerOf, jsonInteger, parseJson } from "../../src/lib/json.ts";

describe("integers in JSON", () => {
  test.each([
    ["1", 1n],
    ["-0", 0n],
    ["1.50e1", 15n],
    ["120e-1", 12n],
    ["0e999999", 0n],
    ["123456789012345678901234567890", 123456789012345678901234567890n],
  ])("%s is %p", (source, integer) => {
    expect(integerOf(source)).toBe(integer);
  });

  test.each(["1.5", "1e-1", "1e41", "1e999999999999999999999", "x", "", "1".repeat(1001)])(
    "%.20p is none that we store",
    (source) => {
      expect(integerOf(source)).toBeUndefined();
    },
  );

  test("survive parsing and writing, whatever their size", () => {
    const text = '{"a":9223372036854775807,"b":[-9223372036854775808,0.5,1e2],"c":"9223372036854775807"}';
    expect(JSON.stringify(parseJson(text))).toBe(
      '{"a":9223372036854775807,"b":[-9223372036854775808,0.5,100],"c":"9223372036854775807"}',
    );
    for (const integer of [0n, -1n, 2n ** 53n - 1n, 2n ** 53n, -(2n ** 63n)])
      expect(bigintOf(jsonInteger(integer))).toBe(integer);
  });

  test("repeated keys are found in nested objects, and only in one and the same", () => {
    expect(() => parseJson('{"a":[{"b":1,"b":2}]}')).toThrow('"b": appears twice');
    expect(() => parseJson('{"a":{"a":1},"b":{"a":"a:a"},"c":["a","a"]}')).not.toThrow();
    expect(() => parseJson(String.raw`{"a\"":1,"a\\":2,"a":3}`)).not.toThrow();
  });
});
