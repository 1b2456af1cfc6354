import { describe, expect, test } from "bun:test";
import { INDEX_PAGE, PAGES } from "../../../src/pages/manual/pages.ts";
import { render } from "../../../src/pages/manual/render.ts";
import { openStore } from "../../support/store.ts";

const store = await openStore({ env: { BASE_URL: "https://adopt.example.org" } });
const get = (path: string, headers: Record<string, string> = {}) =>
  store.call("GET", path, { key: false, headers });
const addressOf = (path: string) => (path === "index" ? "/manual" : `/manual/${path}`);

/** The values of an attribute in a page. */
const attributes = (html: string, selector: string, name: string): string[] => {
  const found: string[] = [];
  new HTMLRewriter()
    .on(selector, { element: (element) => void found.push(element.getAttribute(name) ?? "") })
    .transform(html);
  return found;
};

describe.each([INDEX_PAGE, ...PAGES].map(({ path, title }) => [path, title]))("%s", (path, title) => {
  test("the page is served as HTML and as Markdown", async () => {
    const page = await get(addressOf(path));
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(await page.text()).toContain(`<title>${Bun.escapeHTML(title)}`);
    const markdown = await get(`/manual/${path}.md`);
    expect([markdown.status, markdown.headers.get("content-type")]).toEqual([
      200,
      "text/markdown; charset=utf-8",
    ]);
    expect(await markdown.text()).toStartWith(`# ${title}\n`);
  });

  test("the page has only links to pages, headings and files that exist", async () => {
    const html = await (await get(addressOf(path))).text();
    const links = [
      ...attributes(html, "a", "href"),
      ...attributes(html, "img, script", "src"),
      ...attributes(html, "link", "href"),
    ];
    const broken = [];
    for (const link of new Set(links.filter((one) => !/^(?:https?|data|mailto):/.test(one)))) {
      const [target = "", fragment = ""] = link.split("#");
      const response = target === "" ? undefined : await get(target);
      const text = response ? await response.text() : html;
      const isThere = fragment === "" || attributes(text, "[id]", "id").includes(fragment);
      if ((response && response.status >= 400) || !isThere) broken.push(link);
    }
    expect(broken).toEqual([]);
  });
});

test("a client that prefers Markdown gets it at the address of the page", async () => {
  for (const [accept, type] of [
    ["text/markdown", "text/markdown"],
    ["text/markdown, text/html;q=0.5", "text/markdown"],
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"],
    ["*/*", "text/html"],
    ["application/json", "text/html"],
  ] as const) {
    const response = await get("/manual/contributing/debugging", { accept });
    expect([accept, response.headers.get("content-type")]).toEqual([accept, `${type}; charset=utf-8`]);
    expect(response.headers.get("vary")).toBe("Accept-Encoding, Accept");
  }
});

test("the first page's Markdown is at /manual.md, and the page links to it", async () => {
  const html = await (await get("/manual")).text();
  expect(attributes(html, "footer a", "href")).toContain("/manual.md");
  const markdown = await get("/manual.md");
  expect([markdown.status, markdown.headers.get("content-type")]).toEqual([
    200,
    "text/markdown; charset=utf-8",
  ]);
  expect(await markdown.text()).toBe(await (await get("/manual/index.md")).text());
  const architecture = await (await get("/manual/contributing/architecture")).text();
  expect(attributes(architecture, "footer a", "href")).toContain("/manual/contributing/architecture.md");
});

test("links in the Markdown lead to Markdown, regardless of the address where it is read", async () => {
  const markdown = await (await get("/manual", { accept: "text/markdown" })).text();
  expect(markdown).toContain("](/manual/contributing/architecture.md)");
  const page = await (await get("/manual/contributing/architecture.md")).text();
  expect(page).toContain("](/manual/contributing/debugging.md)");
  expect(page).not.toContain("](../../");
});

test("/llms.txt lists every page with its address and its summary", async () => {
  const response = await get("/llms.txt");
  expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  const text = await response.text();
  expect(text).toStartWith(`# ${INDEX_PAGE.title}\n\n> `);
  for (const { path, title, summary } of PAGES)
    expect(text).toContain(`- [${title}](https://adopt.example.org/manual/${path}.md): ${summary}\n`);
});

test("a program that requests an unknown address below /manual gets the usual error", async () => {
  for (const accept of [undefined, "*/*", "text/markdown"]) {
    const response = await get("/manual/nowhere", accept === undefined ? {} : { accept });
    expect([response.status, await response.json()]).toEqual([
      404,
      { code: "not_found", message: expect.any(String), status: 404 },
    ]);
  }
});

test("a browser that requests an unknown address below /manual gets a page with a link back", async () => {
  for (const path of ["/manual/nowhere", "/manual/how-to/nowhere", "/manual/a/b/c", "/manual/nowhere.md"]) {
    const response = await get(path, { accept: "text/html,*/*;q=0.8" });
    expect([path, response.status, response.headers.get("content-type")]).toEqual([
      path,
      404,
      "text/html; charset=utf-8",
    ]);
    expect(attributes(await response.text(), "main a", "href")).toContain("/manual");
  }
});

test("a query changes nothing", async () => {
  const response = await get("/manual/reference/errors?utm_source=mail");
  expect(response.status).toBe(200);
});

test("pages are compressed, and not sent again if nothing has changed", async () => {
  const first = await get("/manual", { "accept-encoding": "br" });
  expect(first.headers.get("content-encoding")).toBe("br");
  const etag = first.headers.get("etag") ?? "";
  const again = await get("/manual", { "accept-encoding": "br", "if-none-match": etag });
  expect([again.status, again.headers.get("etag")]).toEqual([304, etag]);
});

test("pages may load only files of their host, and nothing inline", async () => {
  const response = await get("/manual");
  const policy = response.headers.get("content-security-policy") ?? "";
  expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(policy).not.toContain("unsafe");
  const html = await response.text();
  expect(attributes(html, "[style]", "style")).toEqual([]);
  expect(attributes(html, "script:not([src]), style", "type")).toEqual([]);
});

test("headings have the fragments of code hosts: with underscores, and each only once", () => {
  const { html } = render("## `not_found`\n\n### A `b`: <c> & *d*\n\n## Twice\n\n## Twice\n", "index");
  expect(attributes(html, "[id]", "id")).toEqual(["not_found", "a-b-c--d", "twice", "twice-1"]);
});

test("the table of contents omits headings that repeat below each step", async () => {
  const tutorial = await (await get("/manual/tutorials/your-first-integration")).text();
  const listed = attributes(tutorial, ".toc a", "href");
  expect(listed).toContain("#2-add-an-animal");
  expect(listed.filter((link) => /^#(?:curl|javascript|python)/.test(link))).toEqual([]);
  const troubleshooting = await (await get("/manual/how-to/troubleshooting")).text();
  expect(attributes(troubleshooting, ".toc a", "href").length).toBe(
    attributes(troubleshooting, "h2, h3", "id").length,
  );
});
