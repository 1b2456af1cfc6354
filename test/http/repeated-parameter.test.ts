import { expect, test } from "bun:test";
import { repeatedParameter } from "../../src/http/validation.ts";

test.each([
  ["a=1&b=2", undefined],
  ["a=1&b=2&a=3", "a"],
  ["a&a", "a"],
  ["a=b=a&b", undefined],
  ["a=1&&b=2&", undefined],
  ["=1&=2", ""],
  ["&&", undefined],
  ["a=1&%61=2", "a"],
  ["a+b=1&a%20b=2", "a b"],
])("in ?%s the repeated parameter is %p", (query, repeated) => {
  expect(repeatedParameter(`http://localhost/?${query}`)).toBe(repeated);
});
