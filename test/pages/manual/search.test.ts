import { expect, test } from "bun:test";
import { PAGES } from "../../../src/pages/manual/pages.ts";
import { searchIndex } from "../../../src/pages/manual/search-index.ts";
import { EDITION } from "./editions.ts";
import { searchEngine } from "../../../src/pages/manual/ui/search-engine.ts";

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
