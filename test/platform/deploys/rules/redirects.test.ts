import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  MAX_PATTERNS,
  MAX_REDIRECTS,
  parseRedirects,
} from "../../../../src/platform/deploys/rules/redirects.ts";
import { redirectFinder, withQuery } from "../../../../src/platform/sites/site.ts";

const SEED = 20_261_123;

const find = (text: string, path: string) => {
  const { rules, faults } = parseRedirects(text);
  expect(faults).toEqual([]);
  const found = redirectFinder(rules)(path);
  return found && [found.rule.status, found.destination];
};

describe("the rule", () => {
  test.each([
    ["/home /", "home", [301, "/"]],
    ["/home / 302", "home", [302, "/"]],
    ["/home\t/  303   # a #comment", "home", [303, "/"]],
    ["/home / 307", "home/", [307, "/"]],
    ["/home / 308!", "home", [308, "/"]],
    ["/news/* /blog/:splat", "news/2026/a b", [301, "/blog/2026/a%20b"]],
    ["/news/* /blog/:splat", "news", [301, "/blog/"]],
    ["/a/:y/:m /b/:y-:m.html?from=:m#:y", "a/26/11", [301, "/b/26-11.html?from=11#26"]],
    ["/out/* https://example.org/x/:splat", "out/a", [301, "https://example.org/x/a"]],
    ["/out http://example.org:8080", "out", [301, "http://example.org:8080/"]],
    ["/help /wiki/Help:Contents", "help", [301, "/wiki/Help:Contents"]],
    ["/a/:b /b", "a/x", [301, "/b"]],
    ["/a/:b /b/x:b", "a/y", [301, "/b/xy"]],
    ["/a/:b /c:d", "a/y", [301, "/c:d"]],
    ["/x/* /:splat/end", "x", [301, "/end"]],
    ["/out HTTPS://Example.org/a", "out", [301, "https://example.org/a"]],
    ["/ü /ö", "ü", [301, "/%C3%B6"]],
    ["/* /index.html 200", "any/where", [200, "/index.html"]],
    ["/a /b", "c", undefined],
  ] as const)("%s gives %p %p", (text, path, found) => {
    expect(find(text, path) as unknown).toEqual(found);
  });

  test("that comes first wins, whether it has a splat or not", () => {
    const text = "/a /one\n/* /two\n/b /three\n/a /four\n";
    expect(["a", "b", "c"].map((path) => find(text, path)?.[1])).toEqual(["/one", "/two", "/two"]);
  });

  test("that leads to its own path is skipped, so that no browser loops", () => {
    expect(find("/a /a/", "a")).toEqual([301, "/a/"]);
    expect(find("/a /a/", "a/")).toBeUndefined();
    expect(find("/* /down 302", "down")).toBeUndefined();
    expect(find("/* /down?x=1 302", "down")).toBeUndefined();
    expect(find("/* /down 302\n/down /up", "down")).toEqual([301, "/up"]);
  });

  test("is not looked for behind ten that lead to the path itself: each costs time", () => {
    const circles = (count: number) => "/* /:splat\n".repeat(count);
    expect(find(`${circles(9)}/* /end`, "a")).toEqual([301, "/end"]);
    expect(find(`${circles(10)}/* /end`, "a")).toBeUndefined();
  });

  test("leads to an address of at most ten times the length of the path", () => {
    expect(find(`/:a /${":a".repeat(10)}`, "x".repeat(1000))?.[1]).toHaveLength(10_001);
  });

  test.each(["\n", "\r\n", "\r"])(
    "is found after empty lines and comments, with %p at the ends of lines",
    (end) => {
      const text = ["\uFEFF# first", "", "  ", "/a /b 302", "#/c /d"].join(end);
      expect(find(text, "a")).toEqual([302, "/b"]);
      expect(parseRedirects(text).rules).toHaveLength(1);
    },
  );
});

describe("a line is refused", () => {
  test.each([
    ["/a", "must have a path, a destination and optionally a status"],
    ["/a /b 301 302", "must have a path, a destination and optionally a status"],
    ["/store id=:id /blog/:id 301", "has a condition or a query parameter, which is not supported"],
    ["/ /anz 302 Country=au,nz", "has a condition or a query parameter, which is not supported"],
    ["a /b", '"a" must begin with /'],
    ["/a /b 404", '"404" is not a status: use 200, 301, 302, 303, 307, 308'],
    ["/a /b x301", '"x301" is not a status: use 200, 301, 302, 303, 307, 308'],
    ["/a /b/:splat", '"/b/:splat" uses :splat, which the first path does not have'],
    ["/a /b 3011", '"3011" is not a status: use 200, 301, 302, 303, 307, 308'],
    ["/a b", '"b" must be a path that begins with one /, or an address with http: or https:'],
    [
      "/a //evil.example",
      '"//evil.example" must be a path that begins with one /, or an address with http: or https:',
    ],
    [
      "/a /\\evil.example",
      '"/\\\\evil.example" must be a path that begins with one /, or an address with http: or https:',
    ],
    [
      "/a javascript:alert(1)",
      '"javascript:alert(1)" must be a path that begins with one /, or an address with http: or https:',
    ],
    ["/a https:b", '"https:b" must be a path that begins with one /, or an address with http: or https:'],
    ["/a https://", '"https://" is not an address'],
    ["/a https://me:pw@example.org", '"https://me:pw@example.org" has a user name or a password'],
    ["/* https://:splat/", '"https://:splat/" is not an address'],
    [
      "/api/* https://api.example.org/:splat 200",
      '"https://api.example.org/:splat" is on another host, and status 200 serves only files of this site',
    ],
    ["/a https://me@example.org", '"https://me@example.org" has a user name or a password'],
    ["/a https://:pw@example.org", '"https://:pw@example.org" has a user name or a password'],
    ["/a /b#c 200", '"/b#c" has a query or a fragment, which a file does not have'],
    ["/a https://example.org/:c", '"https://example.org/:c" uses :c, which the first path does not have'],
    [
      "/a ftp://example.org/https://",
      '"ftp://example.org/https://" must be a path that begins with one /, or an address with http: or https:',
    ],
    ["/a /b?c 200", '"/b?c" has a query or a fragment, which a file does not have'],
    ["/a /b/:c", '"/b/:c" uses :c, which the first path does not have'],
    ["/a/* /b/*", '"/b/*" has a *: write :splat for what the * matched'],
    [`/a /${"b".repeat(1000)}`, "is longer than 1000 characters"],
    [
      `/:a /${":a".repeat(11)}`,
      `"/${":a".repeat(11)}" uses more than 10 placeholders: each can be as long as an address`,
    ],
  ])("%s: %s", (text, problem) => {
    expect(parseRedirects(`\n${text}\n/x /y\n`).faults).toEqual([{ line: 2, problem }]);
  });

  test("beyond the limit of rules, and of those with a pattern", () => {
    const lines = (count: number, line: (at: number) => string) =>
      Array.from({ length: count }, (_, index) => line(index));
    const exact = lines(MAX_REDIRECTS, (at) => `/${at} /`);
    const patterns = lines(MAX_PATTERNS, (at) => `/${at}/* /`);
    expect(parseRedirects(exact.join("\n")).faults).toEqual([]);
    expect(parseRedirects(patterns.join("\n")).faults).toEqual([]);
    expect(parseRedirects([...exact, "/a /", "nonsense"].join("\n")).faults).toEqual([
      { line: 2001, problem: "is more than the limit of 2000 rules" },
    ]);
    expect(parseRedirects([...patterns, "/a /", "/:b /"].join("\n")).faults).toEqual([
      { line: 102, problem: "is more than the limit of 100 rules with a placeholder or a splat" },
    ]);
  });
});

test("a ! after the status forces a rule, and nothing else does", () => {
  const { rules } = parseRedirects("/a /b\n/a /b 302\n/a /b 302!\n/a /b 200!\n");
  expect(rules.map(({ status, isForced }) => [status, isForced])).toEqual([
    [301, false],
    [302, false],
    [302, true],
    [200, true],
  ]);
});

test("the query of the request is kept, unless the destination has its own", () => {
  expect(withQuery("/a", "?b=c")).toBe("/a?b=c");
  expect(withQuery("/a#top", "?b=c")).toBe("/a?b=c#top");
  expect(withQuery("/a?d=e", "?b=c")).toBe("/a?d=e");
  expect(withQuery("/a#t?", "")).toBe("/a#t?");
});

test("no path of a visitor makes a rule lead to another host, or to an address that is malformed", () => {
  const text = [
    "/x/* /:splat",
    "/y* /:splat",
    "/z/:id/* /:splat/:id",
    "/:a/:b/* https://example.org/:splat?:a#:b",
  ].join("\n");
  const finder = redirectFinder(parseRedirects(text).rules);
  const names = fc.oneof(
    fc.constantFrom("x", "y", "z", "", "evil.example", "@evil.example", ":80", "\r\nSet-Cookie: a=b"),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(names, { maxLength: 5 }), (path) => {
      const found = finder(path.join("/"));
      if (!found) return;
      const { origin } = new URL(found.destination, "https://site.example");
      expect(["https://site.example", "https://example.org"]).toContain(origin);
      if (found.destination.startsWith("/")) expect(origin).toBe("https://site.example");
      expect(found.destination).toMatch(/^[\x21-\x7e]+$/);
    }),
    { seed: SEED, numRuns: 2000 },
  );
});

test("any text is parsed: each line is a rule or has one fault", () => {
  const words = fc.constantFrom(
    "/a",
    "/:b/*",
    "/c/:splat",
    "https://d.example/",
    "200",
    "301!",
    "x=y",
    "#",
    ":",
    "*",
  );
  const line = fc.oneof(
    fc.array(words, { maxLength: 5 }).map((all) => all.join(" ")),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
      const text = lines.map((one) => one.replace(/[\r\n\uFEFF]/g, ""));
      const { rules, faults } = parseRedirects(text.join("\n"));
      const said = text.filter((one) => one.trim() !== "" && !one.trim().startsWith("#"));
      expect(rules.length + faults.length).toBe(said.length);
    }),
    { seed: SEED, numRuns: 1000 },
  );
});
