import { afterAll, beforeAll, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { type OpenFiles, openFiles } from "./support.ts";

const LONG = "A line of Markdown.\n".repeat(400);
const MARKDOWN = { accept: "text/markdown" };

let site: OpenFiles;
let plain: OpenFiles;
beforeAll(async () => {
  site = await openFiles({
    "index.html": "<h1>Home</h1>",
    "index.md": "# Home\n",
    "guide.html": "<h1>Guide</h1>",
    "guide.md": LONG,
    "a b/index.html": "<h1>Space</h1>",
    "a b/index.md": "# Space\n",
    "only.html": "<h1>Only</h1>",
    "alone.md": "# Alone\n",
    "style.css": "a{}",
    "404.html": "<h1>Nothing</h1>",
    "404.md": "# Nothing\n",
    _redirects: "/go/* /guide.html 200\n",
    _headers: '/guide\n  Link: </style.css>; rel="preload"\n  Vary: Origin\n',
  });
  plain = await openFiles({ "index.html": "home", "a.md": "# A\n" });
});
afterAll(() => {
  site.close();
  plain.close();
});

const typeOf = (response: Response) => response.headers.get("content-type")?.split(";")[0];

test.each([
  [undefined, "text/html"],
  ["*/*", "text/html"],
  ["text/html,application/xhtml+xml,*/*;q=0.8", "text/html"],
  ["text/markdown", "text/markdown"],
  ["text/markdown, text/html;q=0.9, */*;q=0.8", "text/markdown"],
  ["text/html;q=0.5, text/markdown;q=0.6", "text/markdown"],
  ["text/html, text/markdown;q=0.9", "text/html"],
  ["text/markdown;q=0", "text/html"],
  ["image/png", "text/html"],
] as const)(
  "a page that is also in Markdown is sent as the client prefers: Accept %p gets %s",
  async (accept, type) => {
    for (const path of ["/", "/guide", "/a%20b/", "/go/1"])
      for (const _ of ["made", "cached"]) {
        const response = await site.ask(path, accept === undefined ? {} : { accept });
        expect([path, response.status, typeOf(response)]).toEqual([path, 200, type]);
        expect(response.headers.get("vary")).toContain("Accept");
      }
  },
);

test("both forms vary by Accept, and each links to the other", async () => {
  const html = await site.ask("/a%20b/");
  expect(html.headers.get("link")).toBe('</a%20b/index.md>; rel="alternate"; type="text/markdown"');
  expect(html.headers.get("vary")?.split(", ")).toContain("Accept");
  const markdown = await site.ask("/a%20b/", MARKDOWN);
  expect(markdown.headers.get("content-location")).toBe("/a%20b/index.md");
  expect(markdown.headers.get("vary")?.split(", ")).toContain("Accept");
  expect(await markdown.text()).toBe("# Space\n");
});

test("the site's own Link and Vary are added to them", async () => {
  const { headers } = await site.ask("/guide");
  expect(headers.get("link")).toBe(
    '</guide.md>; rel="alternate"; type="text/markdown", </style.css>; rel="preload"',
  );
  expect(headers.get("vary")?.split(", ")).toEqual(["Accept", "Origin"]);
});

test("each form has its own ETags, codings, ranges and lengths", async () => {
  const html = (await site.ask("/guide")).headers.get("etag") ?? "";
  const packed = await site.ask("/guide", { ...MARKDOWN, "accept-encoding": "gzip" });
  const etag = packed.headers.get("etag") ?? "";
  expect(packed.headers.get("vary")).toBe("Accept-Encoding, Accept, Origin");
  expect(Buffer.from(gunzipSync(await packed.bytes())).toString()).toBe(LONG);
  const known = await site.ask("/guide", { ...MARKDOWN, "accept-encoding": "gzip", "if-none-match": etag });
  expect([known.status, known.headers.get("vary")]).toEqual([304, "Accept-Encoding, Accept, Origin"]);
  expect((await site.ask("/guide", { ...MARKDOWN, "if-none-match": html })).status).toBe(200);
  const part = await site.ask("/guide", { ...MARKDOWN, range: "bytes=0-5" });
  expect([part.status, await part.text()]).toEqual([206, "A line"]);
  const head = await site.ask("/guide", MARKDOWN, "HEAD");
  expect([head.headers.get("content-length"), typeOf(head)]).toEqual([String(LONG.length), "text/markdown"]);
});

test("other files, other pages and the 404 page do not vary", async () => {
  for (const path of ["/only", "/style.css", "/guide.md", "/alone.md", "/nothing"]) {
    const [html, markdown] = [await site.ask(path), await site.ask(path, MARKDOWN)];
    expect([path, typeOf(markdown)]).toEqual([path, typeOf(html)]);
    for (const response of [html, markdown]) {
      expect(response.headers.get("vary")?.split(", ") ?? []).not.toContain("Accept");
      expect(response.headers.get("link")).toBeNull();
    }
  }
});

test("a site without such pages ignores Accept", async () => {
  const response = await plain.ask("/", MARKDOWN);
  expect([typeOf(response), response.headers.get("vary")]).toEqual(["text/html", null]);
});
