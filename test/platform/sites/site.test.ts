import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { unpack } from "../../../src/platform/deploys/archive.ts";
import { openBlobs } from "../../../src/platform/deploys/blobs.ts";
import { storeSite } from "../../../src/platform/deploys/store-site.ts";
import { UNPACK_LIMITS } from "../../../src/platform/deploys/archive-rules.ts";
import { responseCache } from "../../../src/platform/sites/file-responder.ts";
import { type Site, openSite } from "../../../src/platform/sites/site.ts";
import { tarGzOf } from "../deploys/archives.ts";

const LONG = "<p>A page that is worth compressing.</p>\n".repeat(200);
const HUGE = "0123456789".repeat(20_000);
const FILES: Record<string, string> = {
  "index.html": "home",
  "guide.html": "guide",
  "docs/index.html": "docs",
  "docs/a b.html": "spaced",
  "both.html": "both page",
  "both/index.html": "both directory",
  raw: "raw file",
  "raw.html": "raw page",
  "long.html": LONG,
  "huge.txt": HUGE,
  "app-3f2a9c1b.js": "hashed",
  "404.html": "the site's own",
  ".env": "secret",
  ".git/config": "secret",
  ".well-known/security.txt": "security",
  ".well-known/.hidden": "secret",
  "cafe\u0301.html": "decomposed",
  "empty.txt": "",
};

let site: Site;
let bare: Site;
const root = mkdtempSync(join(tmpdir(), "adoption-store-site-"));

const deploy = async (name: string, files: Record<string, string>): Promise<Site> => {
  const file = join(root, `${name}.tgz`);
  await Bun.write(file, tarGzOf(Object.entries(files).map(([path, content]) => ({ name: path, content }))));
  const blobs = openBlobs(join(root, "blobs"));
  const { manifest } = await storeSite(unpack(file, UNPACK_LIMITS), blobs);
  return openSite({ key: name, manifest, rules: undefined, blobs, responses: responseCache(2 ** 20) });
};

beforeAll(async () => {
  site = await deploy("full", FILES);
  bare = await deploy("bare", { "index.html": "bare", "a.txt": "a" });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const ask = async (path: string, headers: Record<string, string> = {}, method = "GET", from = site) =>
  from.respond({ method, path, query: "?q=1", headers: new Headers(headers), inParts: false });

test.each([
  ["/", 200, "home"],
  ["/guide", 200, "guide"],
  ["/docs/", 200, "docs"],
  ["/docs/a%20b", 200, "spaced"],
  ["/both", 200, "both page"],
  ["/both/", 200, "both directory"],
  ["/raw", 200, "raw file"],
  ["/raw.html", 200, "raw page"],
  ["/caf%C3%A9", 200, "decomposed"],
  ["/.well-known/security.txt", 200, "security"],
  ["/empty.txt", 200, ""],
  ["/nothing", 404, "the site's own"],
  ["/404", 404, "the site's own"],
  ["/GUIDE", 404, "the site's own"],
  ["/.env", 404, "the site's own"],
  ["/%2Eenv", 404, "the site's own"],
  ["/.git/config", 404, "the site's own"],
  ["/.well-known/.hidden", 404, "the site's own"],
  ["/constructor", 404, "the site's own"],
  ["/docs%252F", 404, "the site's own"],
  ["/..", 400, undefined],
  ["/%2e%2e/etc/passwd", 400, undefined],
  ["/docs/../index.html", 400, undefined],
  ["//evil.example/", 400, undefined],
  ["/docs//", 400, undefined],
  ["/a%00b", 400, undefined],
  ["/a%5Cb", 400, undefined],
  ["/a\\b", 400, undefined],
  ["/docs%2Findex.html", 400, undefined],
  ["/%zz", 400, undefined],
  ["/%ff", 400, undefined],
  ["guide", 400, undefined],
] as const)("a request for %s gets %d %s", async (path, status, body) => {
  // Twice: the second response may come from the cache.
  for (const response of [await ask(path), await ask(path)]) {
    expect(response.status).toBe(status);
    if (body !== undefined) expect(await response.text()).toBe(body);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  }
});

test.each([
  ["/docs", "/docs/?q=1"],
  ["/index.html", "/?q=1"],
  ["/docs/index.html", "/docs/?q=1"],
  ["/guide.html", "/guide?q=1"],
  ["/guide/", "/guide?q=1"],
  ["/docs/a%20b.html", "/docs/a%20b?q=1"],
  ["/raw/", "/raw?q=1"],
])("a request for %s redirects permanently to %s", async (path, location) => {
  const response = await ask(path);
  expect([response.status, response.headers.get("location")]).toEqual([308, location]);
});

test("a request for a missing file gets a small 404 where the site has no 404.html", async () => {
  const response = await ask("/nothing", {}, "GET", bare);
  expect([response.status, response.headers.get("content-type")]).toEqual([404, "text/plain; charset=utf-8"]);
});

test("methods other than GET and HEAD get 405 with Allow", async () => {
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "get"]) {
    const response = await ask("/", {}, method);
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  }
});

test("browsers revalidate a page each time, and never a file with a hash in its name", async () => {
  expect((await ask("/")).headers.get("cache-control")).toBe("public, max-age=0, must-revalidate");
  expect((await ask("/app-3f2a9c1b.js")).headers.get("cache-control")).toBe(
    "public, max-age=31536000, immutable",
  );
  expect((await ask("/nothing")).headers.get("cache-control")).toBe("public, max-age=0, must-revalidate");
});

test("each coding has its own ETag, decodes to the file, and gets 304 for its own ETag only", async () => {
  const tags = new Set<string>();
  for (const [coding, decode] of [
    ["br", brotliDecompressSync],
    ["gzip", gunzipSync],
    ["identity", (bytes: Uint8Array) => bytes],
  ] as const) {
    const headers = { "accept-encoding": coding };
    const response = await ask("/long", headers);
    const tag = response.headers.get("etag") ?? "";
    tags.add(tag);
    expect(response.headers.get("content-encoding") ?? "identity").toBe(coding);
    expect(response.headers.get("vary")).toBe("Accept-Encoding");
    expect(Buffer.from(decode(await response.bytes())).toString()).toBe(LONG);
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
      const unchanged = await ask("/long", { ...headers, "if-none-match": known });
      expect([unchanged.status, unchanged.headers.get("etag"), unchanged.headers.get("vary")]).toEqual([
        304,
        tag,
        "Accept-Encoding",
      ]);
    }
    expect((await ask("/long", { ...headers, "if-none-match": '"other"' })).status).toBe(200);
  }
  expect(tags.size).toBe(3);
});

const tagOf = async (headers: Record<string, string> = {}) =>
  (await ask("/long", headers)).headers.get("etag") ?? "";

test.each(["br", "gzip", "identity"])(
  "If-Match with the ETag of the %s representation that would be sent lets the request through",
  async (coding) => {
    const headers = { "accept-encoding": coding };
    const tag = await tagOf(headers);
    for (const expected of [tag, `"other", ${tag}`, "*"])
      expect((await ask("/long", { ...headers, "if-match": expected })).status).toBe(200);
  },
);

test("If-Match with anything else gets 412: another ETag, a weak one, another coding's, nonsense", async () => {
  const other = await tagOf({ "accept-encoding": "br" });
  const tag = await tagOf();
  for (const expected of ['"other"', `W/${tag}`, other, "", "nonsense"]) {
    const response = await ask("/long", { "if-match": expected });
    expect([response.status, response.headers.get("etag")]).toEqual([412, null]);
    const head = await ask("/long", { "if-match": expected }, "HEAD");
    expect([head.status, await head.text()]).toEqual([412, ""]);
    expect(head.headers.get("content-length")).toBe(String((await response.bytes()).length));
  }
});

test("If-Match is checked before If-None-Match and Range", async () => {
  const tag = await tagOf();
  const others = { "if-none-match": tag, range: "bytes=0-9" };
  expect((await ask("/long", { "if-match": '"other"', ...others })).status).toBe(412);
  expect((await ask("/long", { "if-match": tag, ...others })).status).toBe(304);
});

test("If-Match with a range is compared with the ETag of the uncompressed file, which ranges are parts of", async () => {
  const range = { range: "bytes=0-9", "accept-encoding": "br" };
  expect((await ask("/long", { ...range, "if-match": await tagOf() })).status).toBe(206);
  const compressed = await tagOf({ "accept-encoding": "br" });
  expect((await ask("/long", { ...range, "if-match": compressed })).status).toBe(412);
  expect((await ask("/long", { ...range, range: "lines=0-9", "if-match": compressed })).status).toBe(200);
});

test("If-Match is ignored where the response is a 404 or a redirect (RFC 9110 section 13.2.1)", async () => {
  expect((await ask("/nothing", { "if-match": '"other"' })).status).toBe(404);
  expect((await ask("/guide.html", { "if-match": '"other"' })).status).toBe(308);
});

describe.each([
  ["read ahead", false],
  ["in parts", true],
])("over a socket, with files %s", (_, inParts) => {
  let server: Bun.Server<undefined>;
  beforeAll(() => {
    server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ method, url, headers }) => {
        const { pathname, search } = new URL(url);
        return site.respond({ method, path: pathname, query: search, headers, inParts });
      },
    });
  });
  afterAll(() => server.stop(true));
  const get = (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, server.url), { redirect: "manual", decompress: false, ...init });

  test("HEAD gets the response of GET without its body", async () => {
    for (const path of ["/", "/long", "/huge.txt", "/nothing", "/docs", "/empty.txt"])
      for (const coding of ["br", "identity"]) {
        const headers = { "accept-encoding": coding };
        const whole = await get(path, { headers });
        const size = (await whole.bytes()).length;
        const head = await get(path, { headers, method: "HEAD" });
        expect((await head.bytes()).length).toBe(0);
        expect(head.status).toBe(whole.status);
        if (path !== "/docs") expect(Number(head.headers.get("content-length"))).toBe(size);
        for (const name of ["etag", "content-type", "content-encoding", "cache-control", "vary", "location"])
          expect(head.headers.get(name)).toBe(whole.headers.get(name));
      }
  });

  test("a range is a part of the uncompressed file, also where br is accepted, unless If-Range has another ETag", async () => {
    const tag =
      (await get("/huge.txt", { headers: { "accept-encoding": "identity" } })).headers.get("etag") ?? "";
    const range = { range: "bytes=10-19", "accept-encoding": "br" };
    for (const headers of [range, { ...range, "if-range": tag }]) {
      const part = await get("/huge.txt", { headers });
      expect([part.status, await part.text()]).toEqual([206, "0123456789"]);
      expect(part.headers.get("content-range")).toBe("bytes 10-19/200000");
      expect(part.headers.get("content-length")).toBe("10");
      expect(part.headers.get("content-encoding")).toBe(null);
      expect(part.headers.get("etag")).toBe(tag);
    }
    const changed = await get("/huge.txt", { headers: { ...range, "if-range": '"other"' } });
    expect([changed.status, changed.headers.get("content-encoding")]).toEqual([200, "br"]);
    const beyond = await get("/huge.txt", { headers: { range: "bytes=200000-" } });
    expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, "bytes */200000"]);
    const open = await get("/huge.txt", { headers: { range: "bytes=199995-" } });
    expect([open.status, await open.text()]).toEqual([206, "56789"]);
  });

  test("concurrent requests each get the whole cached response", async () => {
    const bodies = await Promise.all(Array.from({ length: 200 }, async () => (await get("/guide")).text()));
    expect(new Set(bodies)).toEqual(new Set(["guide"]));
  });
});

test("cached responses stay within their bytes, and those used least recently are evicted first", () => {
  const responses = responseCache(10_000);
  for (const key of ["a", "b", "c"]) responses.set(key, new Response(key), 3000);
  expect(["a", "b", "c"].map((key) => responses.get(key) !== undefined)).toEqual([false, true, true]);
  responses.set("huge", new Response(""), 20_000);
  expect(responses.get("huge")).toBeUndefined();
});
