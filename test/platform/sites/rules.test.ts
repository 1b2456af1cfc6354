import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ResponseCache, responseCache } from "../../../src/platform/sites/file-responder.ts";
import { type OpenFiles, openFiles } from "./support.ts";

const SHELL = "<p>The application.</p>\n".repeat(200);
const FILES: Record<string, string> = {
  "index.html": "home",
  "shell.html": SHELL,
  "docs/index.html": "docs",
  "real.html": "real",
  "taken.html": "taken",
  "app-3f2a9c1b.js": "hashed",
  "data.json": "{}",
  "404.html": "nothing here",
  "sub/_redirects": "not a rule",
  ".env": "secret",
  _redirects: [
    "/real /elsewhere",
    "/taken /elsewhere 302!",
    "/old/* /docs/:splat",
    "/latest.js /app-3f2a9c1b.js 200",
    "/lost /missing.html 200",
    "/hidden /.env 200",
    "/dir /docs 200",
    "/gone /404.html 200",
    "/chain /old/a 200",
    "/app/* /shell.html 200",
  ].join("\n"),
  _headers: [
    "/*",
    "  X-Frame-Options: DENY",
    "  Vary: Origin",
    "  Cache-Control: public, max-age=60",
    "  CDN-Cache-Control: max-age=60",
    "/data.json",
    "  Content-Type: application/ld+json",
    "/app/*",
    "  Content-Security-Policy: default-src 'self'",
    "/app/bare",
    "  ! X-Frame-Options",
  ].join("\n"),
};

const kept: { key: string; bytes: number }[] = [];
let site: OpenFiles;
const ask: OpenFiles["ask"] = (...request) => site.ask(...request);

/** A cache that records its new entries. */
const recorded = (cache: ResponseCache): ResponseCache => ({
  get: cache.get,
  set(key, response, bytes) {
    kept.push({ key, bytes });
    cache.set(key, response, bytes);
  },
});

beforeAll(async () => {
  site = await openFiles(FILES, recorded(responseCache(2 ** 20)));
});
afterAll(() => site.close());

test.each([
  ["/real", 200, "real"],
  ["/taken", 302, "/elsewhere"],
  ["/old/a%20b", 301, "/docs/a%20b"],
  ["/old", 301, "/docs/"],
  ["/app/users/7", 200, SHELL],
  ["/app/", 200, SHELL],
  ["/dir", 200, "docs"],
  ["/docs", 308, "/docs/"],
  ["/lost", 404, "nothing here"],
  ["/hidden", 404, "nothing here"],
  ["/gone", 404, "nothing here"],
  ["/chain", 404, "nothing here"],
  ["/nothing", 404, "nothing here"],
  ["/_redirects", 404, "nothing here"],
  ["/_headers", 404, "nothing here"],
  ["/sub/_redirects", 200, "not a rule"],
  ["/old//a", 400, undefined],
] as const)("the address %s gets %d", async (path, status, says) => {
  for (const response of [await ask(path), await ask(path)]) {
    expect(response.status).toBe(status);
    const location = response.headers.get("location");
    if (says !== undefined) expect(location ?? (await response.text())).toBe(says);
  }
});

test("an address that redirects keeps its query, and the redirect is not cached", async () => {
  for (const method of ["GET", "HEAD"]) {
    const response = await ask("/old/a", {}, method, "?q=1");
    expect(response.headers.get("location")).toBe("/docs/a?q=1");
    expect(response.headers.get("cache-control")).toBe("public, max-age=0, must-revalidate");
    expect(await response.text()).toBe("");
  }
});

test("an address allows no other method, even with a rule", async () => {
  expect((await ask("/taken", {}, "POST")).status).toBe(405);
});

test("a rewritten page has codings, ETags, 304, ranges and HEAD as the file itself", async () => {
  const plain = await ask("/shell.html");
  expect(plain.status).toBe(308);
  const page = await ask("/app/x", { "accept-encoding": "br" });
  expect(page.headers.get("content-encoding")).toBe("br");
  const etag = page.headers.get("etag") ?? "";
  expect((await ask("/app/z", { "accept-encoding": "br" })).headers.get("etag")).toBe(etag);
  const known = await ask("/app/y", { "accept-encoding": "br", "if-none-match": etag });
  expect([known.status, await known.text()]).toEqual([304, ""]);
  const part = await ask("/app/x", { range: "bytes=0-2" });
  expect([part.status, await part.text()]).toEqual([206, "<p>"]);
  const head = await ask("/app/x", {}, "HEAD");
  expect([head.headers.get("content-length"), await head.text()]).toEqual([String(SHELL.length), ""]);
});

test("a rewritten page is cached once for all its addresses with the same headers", async () => {
  kept.length = 0;
  for (const path of ["/app/cached/1", "/app/cached/2", "/app/cached/3", "/app/bare"])
    await ask(path, { "accept-encoding": "gzip" });
  expect(new Set(kept.map(({ key }) => key)).size).toBe(kept.length);
  expect(kept.length).toBeLessThanOrEqual(2);
  const [framed, bare] = kept.map(({ bytes }) => bytes).toSorted((a, b) => b - a);
  expect(Number(framed) - Number(bare)).toBe("x-frame-optionsDENY".length);
});

test("a rewritten page is not cached permanently because of the name of its file", async () => {
  const bare = await openFiles({
    "index.html": "",
    "app-3f2a9c1b.js": "hashed",
    _redirects: "/latest.js /app-3f2a9c1b.js 200",
  });
  const cacheControl = async (path: string) => (await bare.ask(path)).headers.get("cache-control");
  expect(await cacheControl("/app-3f2a9c1b.js")).toContain("immutable");
  expect(await cacheControl("/latest.js")).toBe("public, max-age=0, must-revalidate");
  bare.close();
});

test("the headers of the site are on files, also partial and unchanged ones, on redirects and on errors", async () => {
  const etag = (await ask("/real")).headers.get("etag") ?? "";
  for (const response of [
    await ask("/real"),
    await ask("/real"),
    await ask("/real", {}, "HEAD"),
    await ask("/real", { "if-none-match": etag }),
    await ask("/real", { range: "bytes=0-1" }),
    await ask("/old/a"),
    await ask("/docs"),
    await ask("/nothing"),
    await ask("/nothing", {}, "HEAD"),
  ])
    expect(response.headers.get("x-frame-options")).toBe("DENY");
});

test("the headers of the site change Cache-Control of files, and not of redirects and errors", async () => {
  const etag = (await ask("/real")).headers.get("etag") ?? "";
  for (const response of [await ask("/real"), await ask("/real", { "if-none-match": etag })])
    expect(response.headers.get("cache-control")).toBe("public, max-age=60");
  expect((await ask("/real")).headers.get("cdn-cache-control")).toBe("max-age=60");
  for (const response of [await ask("/docs"), await ask("/old/a"), await ask("/nothing")]) {
    expect(response.headers.get("cdn-cache-control")).toBeNull();
    expect(response.headers.get("cache-control")).toBe("public, max-age=0, must-revalidate");
  }
});

test("the headers of the site change Content-Type of the file, and add to Vary", async () => {
  const json = await ask("/data.json");
  expect(json.headers.get("content-type")).toBe("application/ld+json");
  expect((await ask("/app/x")).headers.get("vary")).toBe("Accept-Encoding, Origin");
  const etag = json.headers.get("etag") ?? "";
  expect((await ask("/data.json", { "if-none-match": etag })).headers.get("content-type")).toBeNull();
});

test("the headers of the site are those of the requested address, also after a page was cached for another", async () => {
  for (const _ of ["made", "cached"]) {
    const page = await ask("/app/x");
    expect(page.headers.get("content-security-policy")).toBe("default-src 'self'");
    expect((await ask("/app/bare")).headers.get("x-frame-options")).toBeNull();
    expect((await ask("/app/x")).headers.get("x-frame-options")).toBe("DENY");
    expect((await ask("/nothing")).headers.get("content-security-policy")).toBeNull();
    expect((await ask("/app/x/nothing")).status).toBe(200);
  }
});
