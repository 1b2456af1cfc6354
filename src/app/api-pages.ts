import { MANUAL_PATH, type OtherPage } from "../manual/edition.ts";
import { FORMATS, type FormatName, documentPath } from "../openapi/formats.ts";
import type { Documents } from "../openapi/document.ts";
import type { Document } from "../openapi/reference/document.ts";
import { referencePage } from "../openapi/reference/page.ts";
import { type Addresses, DOCUMENTS, type DocumentName, absoluteBase } from "../openapi/sections.ts";

const PAGES: Record<DocumentName, { title: string; summary: string }> = {
  store: {
    title: "Store API",
    summary: "Every operation on animals, categories and adoptions, with examples in four languages.",
  },
  platform: {
    title: "Platform API",
    summary: "Every operation on projects, deploys, domains and API keys, with examples in four languages.",
  },
};

const FORMAT_LABELS: Record<FormatName, string> = {
  json: "OpenAPI (JSON)",
  yaml: "OpenAPI (YAML)",
  postman: "a Postman collection",
};

const filesOf = (name: DocumentName): Record<string, string> =>
  Object.fromEntries(
    (Object.keys(FORMATS) as FormatName[]).map((format) => [
      FORMAT_LABELS[format],
      documentPath(name, format),
    ]),
  );

/** The API reference, as pages of the manual. */
export const apiPages = (documents: () => Promise<Documents>, addresses: Addresses): OtherPage[] =>
  DOCUMENTS.map((name) => ({
    path: `api/${name}`,
    title: PAGES[name].title,
    summary: PAGES[name].summary,
    async make(highlight) {
      const document = (await documents())(name, addresses) as Document;
      return referencePage(document, {
        base: MANUAL_PATH,
        highlight,
        apiAddress: absoluteBase(name, addresses),
        files: filesOf(name),
      });
    },
  }));
