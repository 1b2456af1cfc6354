import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  exactPath,
  matchPattern,
  parsePattern,
} from "../../../../src/platform/deploys/rules/path-pattern.ts";
import { RuleProblem } from "../../../../src/platform/deploys/rules/rule-lines.ts";

const SEED = 20_261_123;

const capturesOf = (pattern: string, path: string): Record<string, string> | undefined => {
  const captures = matchPattern(parsePattern(pattern), path);
  return captures && Object.fromEntries(captures);
};

test.each([
  ["/", "", {}],
  ["/", "a", undefined],
  ["/about", "about", {}],
  ["/about", "about/", {}],
  ["/about/", "about", {}],
  ["/about", "aboutness", undefined],
  ["/about", "about/us", undefined],
  ["/About", "about", undefined],
  ["/caf%C3%A9", "café", {}],
  ["/blog/:year/:slug", "blog/2026/cats", { year: "2026", slug: "cats" }],
  ["/blog/:year/:slug", "blog/2026/cats/", { year: "2026", slug: "cats" }],
  ["/blog/:year/:slug", "blog/2026", undefined],
  ["/blog/:year/:slug", "blog//cats", undefined],
  ["/:a/edit", "x/edit", { a: "x" }],
  ["/:a/edit", "edit", undefined],
  ["/a:b", "a:b", {}],
  ["/a:b/c", "a/x/c", undefined],
  ["/:a/x", "b", undefined],
  ["/*", "", { splat: "" }],
  ["/*", "a/b/", { splat: "a/b/" }],
  ["/news/*", "news", { splat: "" }],
  ["/news/*", "news/a/b", { splat: "a/b" }],
  ["/news/*", "newsroom", undefined],
  ["/news*", "news/a", { splat: "a" }],
  ["/*.js", "a/b.js", { splat: "a/b" }],
  ["/*.js", "a.json", undefined],
  ["/a*a", "a", undefined],
  ["/:section/*", "docs/a/b", { section: "docs", splat: "a/b" }],
] as const)("%s matches %p with %p", (pattern, path, captures) => {
  expect<Record<string, string> | undefined>(capturesOf(pattern, path)).toEqual(captures);
});

test.each([
  ["about", "must begin with /"],
  ["HTTP://example.org/a", "has a host: write only the path, which applies to every name of the site"],
  ["https://example.org/a", "has a host: write only the path, which applies to every name of the site"],
  ["/a?b=c", "has a query or a fragment, which cannot be matched"],
  ["/a#b", "has a query or a fragment, which cannot be matched"],
  ["/../a", "is not a path that a site can have"],
  ["//evil.example", "is not a path that a site can have"],
  ["/%zz", "is not a path that a site can have"],
  ["/a%2Fb", "is not a path that a site can have"],
  ["/*/*", "may have only one *"],
  ["/:/a", '":" is not a placeholder, such as :name'],
  ["/:year.html", '":year.html" is not a placeholder, such as :name'],
  ["/*/:id", "may have no placeholder after the *"],
  ["/:splat", ":splat is reserved for the *"],
  ["/:a/:a", "has the same placeholder twice"],
  ["x/http://a", "must begin with /"],
])("%s is refused: %s", (pattern, problem) => {
  expect(() => parsePattern(pattern)).toThrow(new RuleProblem(problem, pattern));
});

test("only a pattern without placeholder and splat has one exact path", () => {
  const exact = ["/a/b/", "/", "/:a", "/a/:b", "/:a/b", "/a*"].map((text) => exactPath(parsePattern(text)));
  expect(exact).toEqual(["a/b/", "", undefined, undefined, undefined, undefined]);
});

const isPattern = (text: string): boolean => {
  try {
    parsePattern(text);
    return true;
  } catch {
    return false;
  }
};

describe("matching", () => {
  const names = fc.array(fc.constantFrom("a", "b", ":x", ":y", "a.b"), { maxLength: 4 });
  const patterns = fc
    .tuple(names, fc.constantFrom("", "*", "*.b", "*/a"))
    .map(([parts, end]) => `/${[...parts, ...(end ? [end] : [])].join("/")}`)
    .filter(isPattern);
  const paths = fc.array(fc.constantFrom("a", "b", "c", "a.b"), { maxLength: 6 }).map((all) => all.join("/"));

  test("agrees with a regular expression that is made from the pattern", () => {
    fc.assert(
      fc.property(patterns, paths, (pattern, path) => {
        const source = pattern.slice(1).replace(/[.]/g, "\\.").replace(/:(\w)/g, "[^/]+").replace("*", ".*");
        const expected = [path, path === "" ? path : `${path}/`].some((one) =>
          new RegExp(`^${source}$`).test(one),
        );
        expect(capturesOf(pattern, path) !== undefined).toBe(expected);
      }),
      { seed: SEED, numRuns: 2000 },
    );
  });

  test("takes a time that is linear in the length of the path", () => {
    const parsed = parsePattern("/:a/:b/*a/a/a/a/b");
    const path = "a/".repeat(500_000);
    const start = performance.now();
    expect(matchPattern(parsed, path)).toBeUndefined();
    expect(performance.now() - start).toBeLessThan(200);
  });
});
