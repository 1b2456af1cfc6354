import { describe, expect, test } from "bun:test";
import { FAULTS } from "../../../src/lib/errors.ts";
import { type Document, type ReferencePage, referencePage } from "../../../src/pages/openapi/reference.ts";
import { generateDocuments } from "../../../src/pages/openapi/document.ts";
import { DOCUMENTS } from "../../../src/pages/openapi/sections.ts";
import { openStore } from "../../support/store.ts";

const OPTIONS = {
  base: "/manual",
  highlight: Bun.escapeHTML,
  apiAddress: "https://adopt.example.org/v1",
  files: { YAML: "/openapi.yaml" },
};

const store = await openStore();
const documents = await generateDocuments(store.app);
const documentOf = (name: (typeof DOCUMENTS)[number]) =>
  documents(name, { baseUrl: "https://adopt.example.org", stagingBaseUrl: "" }) as Document;

const operationsIn = ({ paths }: Document) =>
  Object.values(paths).flatMap((methods) => Object.values(methods));

const anchorsIn = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));

/** The section of an operation. */
const sectionOf = ({ html }: ReferencePage, operationId: string): string => {
  const [, section = ""] = html.split(`id="${operationId}"`);
  return section.split("</section>")[0] ?? "";
};

describe.each(DOCUMENTS)("the reference of the %s document", (name) => {
  const document = documentOf(name);
  const page = referencePage(document, OPTIONS);

  test("the reference has each operation once, with its fields, its responses and four samples", () => {
    expect(operationsIn(document).length).toBeGreaterThan(15);
    for (const { operationId, parameters = [], responses } of operationsIn(document)) {
      const section = sectionOf(page, operationId);
      for (const parameter of parameters) expect(section).toContain(`<code>${parameter.name}</code>`);
      for (const status of Object.keys(responses)) expect(section).toContain(`<code>${status}</code>`);
      expect(section.split('class="code sample').length).toBe(5);
    }
  });

  test("the reference has an anchor for every link within the page, and no anchor twice", () => {
    const anchors = anchorsIn(page.html);
    expect(page.html.split(' id="').length - 1).toBe(anchors.size);
    const links = [...page.html.matchAll(/href="#([^"]+)"/g)].map(([, anchor]) => anchor);
    const shown = page.navigation.flatMap((group) => group.links.map(({ anchor }) => anchor));
    expect([...links, ...shown].filter((anchor) => !anchors.has(anchor ?? ""))).toEqual([]);
  });

  test("the reference links each error code to the manual's list of errors", () => {
    const codes = [...page.html.matchAll(/href="\/manual\/reference\/errors#(\w+)"/g)].map(
      ([, code]) => code,
    );
    expect(codes.length).toBeGreaterThan(100);
    expect(codes.filter((code) => !Object.hasOwn(FAULTS, code ?? ""))).toEqual([]);
  });

  test("the reference lists each operation in its navigation", () => {
    const anchors = page.navigation.flatMap((group) => group.links.map(({ anchor }) => anchor));
    expect(anchors).toEqual(expect.arrayContaining(operationsIn(document).map((one) => one.operationId)));
  });
});

test("authentication and the base address come before the first operation", () => {
  const { html } = referencePage(documentOf("store"), OPTIONS);
  const places = ['id="authentication"', 'id="base-address"', 'id="errors"', 'id="listPets"'];
  const found = places.map((place) => html.indexOf(place));
  expect(found).toEqual(found.toSorted((a, b) => a - b));
  expect(html).toContain("<code>https://adopt.example.org/v1</code>");
  expect(html).toContain('<a href="/openapi.yaml">YAML</a>');
});

test("a parameter shows its rules: default, bounds, values and whether it is required", () => {
  const section = sectionOf(referencePage(documentOf("store"), OPTIONS), "listPets");
  expect(section).toContain("default <code>20</code>");
  expect(section).toContain("<li>1 to 100</li>");
  expect(section).toContain("one of <code>available</code>, <code>pending</code>, <code>sold</code>");
  expect(sectionOf(referencePage(documentOf("store"), OPTIONS), "getPet")).toContain(
    '<span class="required">required</span>',
  );
});

test("badges mark operations that are beta or deprecated", () => {
  const page = referencePage(documentOf("store"), OPTIONS);
  const badges = (operationId: string) =>
    [...sectionOf(page, operationId).matchAll(/class="badge (\w+)"/g)].map(([, badge]) => badge);
  expect([badges("listPets"), badges("changePet"), badges("getPet")]).toEqual([[], ["beta"], ["deprecated"]]);
});

test("text of a document is never markup", () => {
  const document = structuredClone(documentOf("store"));
  const hostile = '<img src=x onerror="alert(1)">';
  const operation = document.paths["/pets"]?.["get"];
  if (!operation) throw new Error("no operation");
  Object.assign(operation, { summary: hostile, description: hostile });
  Object.assign(operation.parameters?.[0] ?? {}, { name: hostile, description: hostile });
  Object.assign(operation.responses["200"] ?? {}, { description: hostile });
  document.info.title = hostile;
  expect(referencePage(document, OPTIONS).html).not.toContain("<img");
});

test("the pages are served, and listed in the manual", async () => {
  const get = async (path: string) => (await store.call("GET", path, { key: false })).text();
  for (const name of DOCUMENTS) expect(await get(`/manual/api/${name}`)).toContain('class="operation"');
  expect(await get("/manual")).toContain('href="/manual/api/store"');
  expect(await get("/manual/api/store")).toContain("http://localhost:3000/v1/pets");
});

test("the list of errors has the anchors that the reference links to", async () => {
  const html = await (await store.call("GET", "/manual/reference/errors", { key: false })).text();
  const anchors = anchorsIn(html);
  const { html: page } = referencePage(documentOf("platform"), OPTIONS);
  const codes = [...page.matchAll(/reference\/errors#(\w+)"/g)].map(([, code]) => code);
  expect(codes.filter((code) => !anchors.has(code ?? ""))).toEqual([]);
});
