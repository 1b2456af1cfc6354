import type { Edition } from "../../../src/pages/manual/edition.ts";
import { expect, test } from "bun:test";
import { manualFiles } from "../../../src/pages/manual/manual.ts";
import { PAGES } from "../../../src/pages/manual/pages.ts";
import { searchIndex } from "../../../src/pages/manual/search-index.ts";
import { searchEngine } from "../../../src/pages/manual/ui/search-engine.ts";

/** An edition that the server publishes, with a page of another room. */
const EDITION: Edition = {
  origin: "",
  version: "1.2.3",
  neighbours: [{ href: "/docs", label: "API" }],
  otherPages: [
    {
      path: "api/store",
      title: "Store API",
      summary: "Every operation.",
      make: (highlight) =>
        Promise.resolve({
          html: `<h1>Store API</h1>\n<article id="listPets"><h2>List animals</h2><p>See <a href="/manual/reference/errors">errors</a>.</p><pre>${highlight("1 < 2", "js")}</pre></article>`,
          navigation: [{ title: "Animals", links: [{ anchor: "listPets", text: "List animals" }] }],
        }),
    },
  ],
};

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

const entry = (heading: string, text: string, page = "Some page") => ({
  address: `/${page}#${heading}`,
  page,
  heading,
  text,
});

const ENTRIES = [
  entry("Certificates", "They are renewed."),
  entry("Backups", "A backup holds the certificates too. Certificates, certificates."),
  entry("Behind a proxy", "Set BASE_URL. A host that is not known gets 421.", "Proxies"),
  entry("Renewal", "Nothing else.", "Certificates"),
];

const headings = (query: string) => searchEngine(ENTRIES)(query).map(({ heading }) => heading);

test("a word in a heading counts more than in the title of the page, and that more than in the text", () => {
  expect(headings("certificates")).toEqual(["Certificates", "Renewal", "Backups"]);
});

test("a search finds beginnings of words, mistyped words, numbers and names of settings", () => {
  expect(headings("cert")[0]).toBe("Certificates");
  expect(headings("certifcates")[0]).toBe("Certificates");
  expect(headings("421")).toEqual(["Behind a proxy"]);
  expect(headings("BASE_URL")).toEqual(["Behind a proxy"]);
  expect(headings("giraffe")).toEqual([]);
});

test("a search finds the pages that have all its words", () => {
  expect(headings("backup certificates")).toEqual(["Backups"]);
});

test("the index has every page and every heading below it, in plain text", async () => {
  const entries = await searchIndex(EDITION);
  const addresses = entries.map(({ address }) => address);
  expect(new Set(addresses).size).toBe(addresses.length);
  for (const { path } of PAGES) expect(addresses).toContain(`/manual/${path}`);
  const request = entries.find(
    ({ address }) => address === "/manual/contributing/debugging#the-log-of-a-request",
  );
  expect(request).toMatchObject({ page: "Debugging", heading: "The log of a request" });
  expect(request?.text).toStartWith(
    'bun run dev curl -i http://localhost:3000/v1/pets -H "Authorization: Bearer',
  );
});
