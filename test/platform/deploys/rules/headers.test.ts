import { describe, expect, test } from "bun:test";
import { headersFor, parseHeaders } from "../../../../src/platform/deploys/rules/headers.ts";

const valuesFor = (text: string, path: string) => {
  const { rules, faults } = parseHeaders(text);
  expect(faults).toEqual([]);
  const found = headersFor(rules, path);
  return found && Object.fromEntries(found.values);
};

const SITE = `# of all pages
/*
  X-Frame-Options: DENY
  Link: </a.css>; rel=preload
  Cache-Control: public
  Cache-Control: max-age=60

/docs/:page
  Link:   </b.css>; rel=preload
  Cache-Control: no-store
  !X-Frame-Options
/*.json
Content-Type: application/ld+json; charset=utf-8
`;

describe("a path gets the headers", () => {
  test("of each block that matches: joined, and of Cache-Control and Content-Type the last block's", () => {
    const all = {
      "x-frame-options": "DENY",
      link: "</a.css>; rel=preload",
      "cache-control": "public, max-age=60",
    };
    expect(valuesFor(SITE, "")).toEqual(all);
    expect(valuesFor(SITE, "a.json")).toEqual({
      ...all,
      "content-type": "application/ld+json; charset=utf-8",
    });
    expect(valuesFor(SITE, "docs/a")).toEqual({
      link: "</a.css>; rel=preload, </b.css>; rel=preload",
      "cache-control": "no-store",
    });
  });

  test("without one that a later block detaches, and with one that is set again after that", () => {
    const text = "/*\n Link: a\n/a*\n ! Link\n/ab\n Link: b\n";
    expect(["x", "a", "ab"].map((path) => valuesFor(text, path))).toEqual([{ link: "a" }, {}, { link: "b" }]);
  });

  test("that name a host in their value", () => {
    expect(valuesFor("/*\n Link: https://example.org/\n", "")).toEqual({ link: "https://example.org/" });
  });

  test("or none, where no block matches", () => {
    expect(valuesFor("/a\n  X-Frame-Options: DENY\n", "b")).toBeUndefined();
  });

  test("and paths with the same blocks share a key, others do not", () => {
    const { rules } = parseHeaders(SITE);
    const [root, other, json] = ["", "x", "x.json"].map((path) => headersFor(rules, path)?.key);
    expect(root).toBe(other as string);
    expect(json).not.toBe(root as string);
  });
});

describe("a line is refused", () => {
  test.each([
    ["Connection: close", '"Connection" is not a header that sites may set'],
    ["Transfer-Encoding: chunked", '"Transfer-Encoding" is not a header that sites may set'],
    ["Content-Length: 3", '"Content-Length" may not be set: the service sets it'],
    ["ETag: x", '"ETag" may not be set: the service sets it'],
    ["Content-Encoding: br", '"Content-Encoding" may not be set: the service compresses the files'],
    ["Set-Cookie: a=b; Domain=example.org", '"Set-Cookie" may not be set: a cookie could reach other sites'],
    ["Clear-Site-Data: *", '"Clear-Site-Data" may not be set: it would clear the cookies of other sites too'],
    [
      "Strict-Transport-Security: max-age=1; includeSubDomains",
      '"Strict-Transport-Security" may not be set: the service sets it once certificates renew',
    ],
    ["Location: /b", '"Location" may not be set: write the redirect into _redirects'],
    ["Basic-Auth: me:pw", '"Basic-Auth" may not be set: passwords are not supported'],
    ["X-Accel-Redirect: /etc/passwd", '"X-Accel-Redirect" is not a header that sites may set'],
    ["X-Sendfile: /etc/passwd", '"X-Sendfile" is not a header that sites may set'],
    ['Alt-Svc: h3=":443"', '"Alt-Svc" is not a header that sites may set'],
    ["constructor: x", '"constructor" is not a header that sites may set'],
    ["Link:", '"Link" has no value'],
    ["Link: ü", '"Link" has a value that is not printable ASCII'],
    ["Content-Type: html", '"Content-Type" must be a media type, such as application/json'],
    ["X-Content-Type-Options: sniff", '"X-Content-Type-Options" must be nosniff'],
    ["! two names", '"! two names" must be Name: value, ! Name, or a path'],
    ["!", '"!" must be Name: value, ! Name, or a path'],
    [": value", '": value" must be Name: value, ! Name, or a path'],
    ["a b: c", '"a b: c" must be Name: value, ! Name, or a path'],
    [
      "HTTP://example.org/",
      '"HTTP://example.org/" has a host: write only the path, which applies to every name of the site',
    ],
    ["no header", '"no header" must be Name: value, ! Name, or a path'],
    [
      "https://example.org/*",
      '"https://example.org/*" has a host: write only the path, which applies to every name of the site',
    ],
    ["/*/*", '"/*/*" may have only one *'],
    [`Link: ${"x".repeat(2000)}`, "is longer than 2000 characters"],
  ])("%s: %s", (line, problem) => {
    expect(parseHeaders(`/a\n  ${line}\n`).faults).toEqual([{ line: 2, problem }]);
  });

  test("before the first path, and beyond 100 paths", () => {
    expect(parseHeaders("Link: a\n/a\n").faults).toEqual([
      { line: 1, problem: "is a header before the first path" },
    ]);
    const paths = Array.from({ length: 102 }, (_, index) => `/${index}\n  Link: a`).join("\n");
    expect(parseHeaders(paths).faults).toEqual([
      { line: 201, problem: "is more than the limit of 100 paths" },
    ]);
  });
});
