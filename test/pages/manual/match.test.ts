import { expect, test } from "bun:test";
import { matches, matchesJson, matchesText } from "./match.ts";

const TEXTS: readonly [expected: string, found: string, fits: boolean][] = [
  ["a\nb", "a\nb\n", true],
  ["a", "a\nb", false],
  ["a", "b", false],
  ["", "", true],
  ["", "x", false],
  ["took ... ms", "took 12 ms", true],
  ["took ... ms", "took 12\nms", false],
  ["a\n...\nz", "a\nz", true],
  ["a\n...\nz", "a\nb\nc\nz", true],
  ["...", "anything\nat all", true],
  ["a.c (x)", "abc (x)", false],
  ["a  \n\nb", "a\n\nb   ", true],
];

test.each(TEXTS)("%j shown for %j fits: %p", (expected, found, fits) => {
  expect(matchesText(expected, found)).toBe(fits);
});

const VALUES: readonly [expected: string, found: string, fits: boolean][] = [
  ['{"a": 1, "b": 2}', '{"b":2,"a":1}', true],
  ['{"a": 1}', '{"a":1,"b":2}', false],
  ['{"a": 1, "b": 2}', '{"a":1}', false],
  ['{"a": 1, "...": "..."}', '{"a":1,"b":2}', true],
  ['{"a": "..."}', '{"a":{"b":[]}}', true],
  ['{"a": "..."}', "{}", false],
  ["[1, 2]", "[1,2,3]", false],
  ['[1, "..."]', "[1,2,3]", true],
  ['[1, "..."]', "[]", false],
  ["9223372036854775807", "9223372036854775806", false],
  ['{"a": null}', '{"a":null}', true],
  ["[]", "{}", false],
  ["{}", "not JSON", false],
];

test.each(VALUES)("the JSON %j shown for %j fits: %p", (expected, found, fits) => {
  expect(matchesJson(expected, found)).toBe(fits);
});

const RESPONSE = 'HTTP/1.1 201 Created\r\nETag: "x1"\r\nDate: now\r\n\r\n{"id":1,"name":"Bella"}';

test.each([
  ["HTTP/1.1 201 Created", true],
  ["HTTP/1.1 200 OK", false],
  ['HTTP/1.1 201 Created\netag: "..."', true],
  ["HTTP/1.1 201 Created\nX-No: ...", false],
  ['HTTP/1.1 201 Created\n...\n\n{"name": "Bella", "id": "..."}', true],
  ['HTTP/1.1 201 Created\n\n{"id": 2}', false],
])("the HTTP response %j shown for a 201 with an ETag fits: %p", (text, fits) => {
  expect(matches({ kind: "http", text }, RESPONSE)).toBe(fits);
});
