import { expect, test } from "bun:test";
import { INDEX_PAGE, PAGES } from "../../src/manual/pages.ts";
import { openStore } from "../support/store.ts";

const store = await openStore();
await store.publishManual();
const visit = (path: string) => store.visit(`http://docs.localhost:3000${path}`);

test("project docs serves every page of the manual, its Markdown and its search", async () => {
  for (const { path, title } of [INDEX_PAGE, ...PAGES]) {
    const page = await visit(path === "index" ? "/" : `/${path}`);
    expect([path, page.status]).toEqual([path, 200]);
    expect(await page.text()).toContain(`<title>${Bun.escapeHTML(title)}`);
    expect(await (await visit(`/${path}.md`)).text()).toStartWith(`# ${title}\n`);
  }
  expect(await (await visit("/search.json")).json()).toContainEqual(
    expect.objectContaining({ address: "/contributing/debugging#dns" }),
  );
  expect(await (await visit("/llms.txt")).text()).toContain("](/contributing/debugging.md)");
});

test("the site loads its own files only, which browsers keep", async () => {
  const html = await (await visit("/contributing/architecture")).text();
  const addresses = [...html.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, address]) => address ?? "");
  const files = [...new Set(addresses)].filter((address) => address !== "data:,");
  expect(files.filter((address) => !address.startsWith("/"))).toEqual([]);
  for (const address of files) expect([address, (await visit(address)).status]).toEqual([address, 200]);
  const style = files.find((address) => address.endsWith(".css")) ?? "";
  expect((await visit(style)).headers.get("cache-control")).toContain("immutable");
});

test("the site has the reference of the API, with the links of a site of its own", async () => {
  const page = await (await visit("/api/store")).text();
  expect(page).toContain('class="operation"');
  expect(page).toContain('href="/reference/errors#invalid_request"');
  expect(page).not.toContain('href="/openapi.json"');
});

test("the site has a page for unknown addresses", async () => {
  const response = await visit("/nowhere");
  expect(response.status).toBe(404);
  expect(await response.text()).toContain('<a href="/">Go to its first page</a>');
});

test("a start without an upgrade publishes nothing", async () => {
  await store.publishManual();
  const deploys = await (await store.call("GET", "/platform/projects/docs/deploys")).json();
  expect(deploys).toHaveLength(1);
});
