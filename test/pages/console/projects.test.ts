import { expect, test } from "bun:test";
import {
  PLANS as copy,
  archiveTypeOf,
  contentOf,
  domainPath,
  hasDomains,
  projectPath,
  shownAddress,
  sizeOf,
  slugOf,
} from "../../../src/pages/console/ui/projects/model.ts";
import { PLANS } from "../../../src/platform/projects/plan.ts";
import { slugProblem } from "../../../src/platform/projects/slug.ts";

test("the console's plans are those of src/platform/projects/plan.ts", () => {
  expect<object>(copy).toEqual(PLANS);
});

test.each([
  ["site.zip", "application/zip"],
  ["Site.TAR.GZ", "application/gzip"],
  ["site.tgz", "application/gzip"],
  ["site.rar", undefined],
  ["notes.gz", undefined],
])("%s is sent as %p", (name, type) => {
  expect(archiveTypeOf(name)).toBe(type as ReturnType<typeof archiveTypeOf>);
});

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [999, "999 bytes"],
  [1234, "1.2 KB"],
  [52_000, "52 KB"],
  [1_234_567, "1.2 MB"],
  [2 ** 40, "1100 GB"],
])("%p bytes are %s", (bytes, words) => {
  expect(sizeOf(bytes)).toBe(words);
});

test("one file is one file", () => {
  expect(contentOf({ files: 1, bytes: 36 })).toBe("1 file, 36 bytes");
  expect(contentOf({ files: 2, bytes: 36 })).toBe("2 files, 36 bytes");
});

test.each([
  ["Tierheim K\u00f6ln", "tierheim-koln"],
  ["  The Shelter's  Handbook!", "the-shelter-s-handbook"],
  ["\u72ac", ""],
])("the slug for %p is %p", (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

test("a slug suggested for a long name is valid", () => {
  expect(slugProblem(slugOf("long name ".repeat(20)))).toBeUndefined();
});

test("addresses of pages escape any text", () => {
  expect(projectPath("a/b", "deploys", "3")).toBe("/console/projects/a%2Fb/deploys/3");
  expect(domainPath({ project: "docs", hostname: "docs.example.org" }, "remove")).toBe(
    "/console/projects/docs/domains/docs.example.org/remove",
  );
});

test("an address is shown in its short form", () => {
  expect(shownAddress("https://docs.example.org/")).toBe("docs.example.org");
});

test("custom domains require Pro or above", () => {
  expect([hasDomains("free"), hasDomains("pro"), hasDomains("enterprise")]).toEqual([false, true, true]);
});
