import { expect, test } from "bun:test";
import { CODINGS, acceptedCodings, prefersHtml, prefersYaml } from "../../src/lib/accept.ts";

test("Brotli is the best coding, then gzip", () => {
  expect(CODINGS).toEqual(["br", "gzip"]);
});

test("without Accept-Encoding nothing is compressed", () => {
  expect(acceptedCodings(undefined)).toEqual([]);
});

test.each([
  [null, []],
  ["gzip, deflate, br", ["br", "gzip"]],
  ["gzip;q=1, br;q=0.5", ["gzip", "br"]],
  ["br;q=0, gzip", ["gzip"]],
  ["*", ["br", "gzip"]],
  ["*;q=0, gzip", ["gzip"]],
  ["identity, br;q=0.5", []],
  ["GZIP", ["gzip"]],
  ["br;q=nonsense", ["br"]],
  ["zstd", []],
  ["", []],
  ["deflate, zstd;q=0.9", []],
  ["x-gzip", ["gzip"]],
  ["X-Gzip;Q=0.5, br;q=0.4", ["gzip", "br"]],
  ["x-gzip-2, yx-gzip", []],
  ["gzip ; q=0", []],
  ["gzip;level=1; q=0", []],
  ["gzip;seq=0", ["gzip"]],
  ["gzip;q=1.5, br;q=-1", ["br", "gzip"]],
  ["gzip;q=nonsense, br", ["br", "gzip"]],
  ["gzip;q=0;q=1", []],
  ["gzip;q=0.001", ["gzip"]],
  ["gzip;q=", []],
  ["gzip;q", ["gzip"]],
  ["*;q=0.5, br;q=0.1", ["gzip", "br"]],
  ["*;q=0.5, br;q=0", ["gzip"]],
  ["identity;q=0.5, gzip;q=0.5, br;q=0.4", ["gzip"]],
  ["identity;q=0.5, *;q=0.4", []],
  ["gzip, gzip;q=0", []],
] as const)("Accept-Encoding: %s selects %j", (header, codings) => {
  expect(acceptedCodings(header)).toEqual([...codings]);
});

test.each([
  [undefined, false],
  ["", false],
  ["application/yaml", true],
  ["text/yaml", true],
  ["application/x-yaml; charset=utf-8", true],
  ["application/json, application/yaml", false],
  ["application/json;q=0.1, application/yaml;q=0.2", true],
  ["application/yaml;q=0", false],
  ["*/*", false],
  ["text/html, application/yaml", true],
  ["xapplication/json, application/yaml;q=0.5", true],
  ["application/jsonx, text/yaml;q=0.5", true],
  ["x*/*, application/yaml;q=0.5", true],
  ["*/*x, application/yaml;q=0.5", true],
  ["*/*, application/yaml;q=0.5", false],
  [";;,,q=;yaml", false],
])("Accept: %p prefers YAML: %p", (accept, prefers) => {
  expect(prefersYaml(accept)).toBe(prefers);
});

test.each([
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true],
  ["TEXT/HTML", true],
  ["text/html;q=0.5, application/json;q=0.4", true],
  ["text/html, application/json", true],
  ["text/html;q=0.4, application/json;q=0.5", false],
  ["text/html;q=0", false],
  ["*/*", false],
  ["text/*", false],
  ["", false],
  [undefined, false],
])("Accept: %s prefers HTML: %p", (accept, expected) => {
  expect(prefersHtml(accept)).toBe(expected);
});
