import { expect, test } from "bun:test";
import { manualFiles } from "../../../src/pages/manual/manual.ts";
import { EDITION } from "./editions.ts";

const files = manualFiles(EDITION);
const textAt = async (path: string): Promise<string> => (await files.get(path)?.())?.text ?? "";

test("a page of another room has the manual's header, and its own links in the sidebar", async () => {
  const html = await textAt("api/store");
  expect(html).toContain("<title>Store API · Adoption store manual</title>");
  expect(html).toContain('<a href="#listPets">List animals</a>');
  expect(html).toContain('<span class="hljs-number">1</span> &lt; <span class="hljs-number">2</span>');
  expect(html).not.toContain("api/store.md");
});

test("the first page lists a page of another room, in its Markdown too", async () => {
  expect(await textAt("index")).toContain('<a href="/manual/api/store">Store API</a>: Every operation.');
  expect(await textAt("index.md")).toContain("- [Store API](/manual/api/store): Every operation.\n");
});

test("the other pages link to a page of another room, and the search and llms.txt know it", async () => {
  expect(await textAt("reference/errors")).toContain('<a href="/manual/api/store">Store API</a>');
  expect(await textAt("llms.txt")).toContain("\n- [Store API](/manual/api/store): Every operation.\n");
  expect(JSON.parse(await textAt("search.json"))).toContainEqual({
    address: "/manual/api/store#listPets",
    page: "Store API",
    heading: "List animals",
    text: "See errors.1 < 2",
  });
});
