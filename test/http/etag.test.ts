import { expect, test } from "bun:test";
import { assertPreconditions, matchesEtag, etagOf } from "../../src/http/etag.ts";

test.each([
  ['"a"', true],
  ['W/"a"', true],
  ["*", true],
  [' "b" ,, "a"', true],
  ['"b,", "a"', true],
  ['"b, "a"', false],
  ["a", false],
  ['"b" "a"', false],
  ['w/"a"', false],
  ['"A"', false],
  ["", false],
  [",", false],
])("If-None-Match: %s matches the tag a: %p", (header, expected) => {
  expect(matchesEtag(header, '"a"')).toBe(expected);
});

test.each([
  ['"a"', undefined],
  ['"b", "a"', undefined],
  ["*", undefined],
  ['W/"a"', "precondition_failed"],
  ['"b"', "precondition_failed"],
  ["a", "invalid_request"],
  ["", "invalid_request"],
  ['"a", *', "invalid_request"],
  ['"a" "b"', "invalid_request"],
])("If-Match: %s for a resource with the tag a: %p", (header, code) => {
  const check = () => assertPreconditions({ "if-match": header }, '"a"');
  if (code === undefined) expect(check).not.toThrow();
  else expect(check).toThrow(expect.objectContaining({ code }));
});

test("the longest possible header is parsed without backtracking", () => {
  const header = `${" ".repeat(8000)}${'"b" , '.repeat(2000)}"`;
  expect(matchesEtag(header, '"a"')).toBe(false);
});

test("different representations have different tags, in the form of RFC 9110", () => {
  expect(etagOf("a")).toMatch(/^"[\w-]{27}"$/);
  expect(etagOf("a")).not.toBe(etagOf("b"));
});
