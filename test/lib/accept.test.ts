import { expect, test } from "bun:test";
import { acceptedCodings, prefersHtml, prefersMarkdown, prefersYaml } from "../../src/lib/accept.ts";
import { words } from "../support/words.ts";

/** Headers by the codings that they prefer, best first. */
const SELECTED: Readonly<Record<string, readonly (string | null | undefined)[]>> = {
  "": [
    undefined,
    null,
    "",
    "zstd",
    "identity, br;q=0.5",
    "deflate, zstd;q=0.9",
    "x-gzip-2, yx-gzip",
    "gzip ; q=0",
    "gzip;level=1; q=0",
    "gzip;q=0;q=1",
    "gzip;q=",
    "identity;q=0.5, *;q=0.4",
    "gzip, gzip;q=0",
  ],
  br: ["br;q=nonsense"],
  gzip: [
    ...words("GZIP x-gzip gzip;seq=0 gzip;q=0.001 gzip;q"),
    "br;q=0, gzip",
    "*;q=0, gzip",
    "*;q=0.5, br;q=0",
    "identity;q=0.5, gzip;q=0.5, br;q=0.4",
  ],
  "br gzip": ["*", "gzip, deflate, br", "gzip;q=1.5, br;q=-1", "gzip;q=nonsense, br"],
  "gzip br": ["gzip;q=1, br;q=0.5", "X-Gzip;Q=0.5, br;q=0.4", "*;q=0.5, br;q=0.1"],
};

test.each(
  Object.entries(SELECTED).flatMap(([codings, headers]) =>
    headers.map((header) => [header, codings] as const),
  ),
)("Accept-Encoding: %s selects %j", (header, codings) => {
  expect(acceptedCodings(header).join(" ")).toBe(codings);
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
  [undefined, false],
  ["text/markdown", true],
  ["text/x-markdown, text/html;q=0.9", true],
  ["text/html, text/markdown", false],
  ["*/*, text/markdown;q=0.5", false],
  ["xtext/html, text/markdown;q=0.5", true],
  ["text/htmlx, text/markdown;q=0.5", true],
  ["x*/*, text/markdown;q=0.5", true],
  ["*/*x, text/markdown;q=0.5", true],
])("Accept: %p prefers Markdown: %p", (accept, prefers) => {
  expect(prefersMarkdown(accept)).toBe(prefers);
});

test.each([
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true],
  ["TEXT/HTML", true],
  ["text/html;q=0.5, application/json;q=0.4", true],
  ["text/html, application/json", true],
  ["xtext/html, text/html;q=0.5", true],
  ["application/jsonx, text/html;q=0.5", true],
  ["text/html;q=0.4, application/json;q=0.5", false],
  ["text/html;q=0", false],
  ["*/*", false],
  ["text/*", false],
  ["", false],
  [undefined, false],
])("Accept: %s prefers HTML: %p", (accept, expected) => {
  expect(prefersHtml(accept)).toBe(expected);
});
