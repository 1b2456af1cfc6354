import type { OtherPage } from "../manual/edition.ts";
import { FORMATS, type FormatName, documentPath } from "../openapi/formats.ts";
import type { Documents } from "../openapi/generate.ts";
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

const filesOf = (name: DocumentName, origin: string): Record<string, string> =>
  Object.fromEntries(
    (Object.keys(FORMATS) as FormatName[]).map((format) => [
      FORMAT_LABELS[format],
      `${origin}${documentPath(name, format)}`,
    ]),
  );

/**
 * The API reference, as pages of the manual.
 * @param origin of the server that has the documents; empty if it is the manual's own, undefined if it is not known
 */
export const apiPages = (
  documents: () => Promise<Documents>,
  addresses: Addresses,
  origin: string | undefined,
): OtherPage[] =>
  DOCUMENTS.map((name) => ({
    path: `api/${name}`,
    title: PAGES[name].title,
    summary: PAGES[name].summary,
    async make(base, highlight) {
      const document = (await documents())(name, addresses) as Document;
      return referencePage(document, {
        base,
        highlight,
        apiAddress: absoluteBase(name, addresses),
        files: origin === undefined ? {} : filesOf(name, origin),
      });
    },
  }));
