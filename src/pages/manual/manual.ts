import type { RequestHeaders } from "../../http/etag.ts";
import { PAGE_POLICY } from "../../http/html-page.ts";
import { staticText } from "../../http/static-text.ts";
import { prefersHtml } from "../../lib/accept.ts";
import { Fault } from "../../lib/errors.ts";
import { ASSETS, documentOf, otherDocumentOf } from "./layout.ts";
import { PICTURES } from "./contents.ts";
import { type Edition, MANUAL_PATH } from "./edition.ts";
import { highlight, render } from "./render.ts";
import { withAddresses } from "./links.ts";
import { llmsText, INDEX_PAGE, PAGES, type Page, markdownOf } from "./pages.ts";
import { searchIndex } from "./search-index.ts";

interface ManualFile {
  type: string;
  text: string;
}

const HTML = "text/html; charset=utf-8";

const htmlFile = async (page: Page, edition: Edition): Promise<ManualFile> => ({
  type: HTML,
  text: documentOf(page, render(await markdownOf(page, edition.otherPages), page.path), edition),
});

const markdownFile = async (page: Page, { otherPages }: Edition): Promise<ManualFile> => ({
  type: "text/markdown; charset=utf-8",
  text: withAddresses(await markdownOf(page, otherPages), page.path),
});

/**
 * The files of the manual by their path below its address: `how-to/backups` is a page, and `how-to/backups.md` its Markdown.
 * They are made when they are asked for.
 */
export const manualFiles = (
  edition: Edition,
): ReadonlyMap<string, () => ManualFile | Promise<ManualFile>> => {
  const { origin, otherPages } = edition;
  const files = new Map<string, () => ManualFile | Promise<ManualFile>>();
  for (const page of [INDEX_PAGE, ...PAGES]) {
    files.set(page.path, () => htmlFile(page, edition));
    files.set(`${page.path}.md`, () => markdownFile(page, edition));
  }
  for (const page of otherPages)
    files.set(page.path, async () => ({
      type: HTML,
      text: otherDocumentOf(page, await page.make(highlight), edition),
    }));
  for (const [path, text] of Object.entries(PICTURES))
    files.set(path, () => ({ type: "image/svg+xml", text }));
  for (const { path, type, text } of ASSETS) files.set(path, () => ({ type, text }));
  files.set("search.json", async () => ({
    type: "application/json",
    text: JSON.stringify(await searchIndex(edition)),
  }));
  files.set("llms.txt", () => ({
    type: "text/plain; charset=utf-8",
    text: llmsText(origin, otherPages),
  }));
  return files;
};

const notFoundPage = (edition: Edition): ManualFile => {
  const page = { path: "404", title: "Page not found", summary: "", section: undefined };
  const html = `<h1>Page not found</h1>
<p>The manual has no page at this address. <a href="${MANUAL_PATH}">Go to its first page</a>, or choose one from the menu.</p>`;
  return { type: HTML, text: documentOf(page, { html, headings: [] }, edition) };
};

const HEADERS = { "content-security-policy": PAGE_POLICY };
/** For files whose path changes with their content. */
const IMMUTABLE = "public, max-age=31536000, immutable";

const cacheControlOf = (path: string): string => (path.startsWith("assets/") ? IMMUTABLE : "no-cache");

/** @param path below the manual's address @param wantsMarkdown the client prefers Markdown to HTML */
export type Responder = (path: string, wantsMarkdown: boolean, headers: RequestHeaders) => Promise<Response>;

/** Responds with the files of the manual. Each is made once, on first use; a failure is not kept. */
export const manualResponder = (edition: Edition): Responder => {
  const files = manualFiles(edition);
  const responders = new Map<string, ReturnType<typeof staticText>>();
  const open = async (path: string, make: () => ManualFile | Promise<ManualFile>) => {
    const { text, type } = await make();
    const responder = staticText(text, type, { ...HEADERS, "cache-control": cacheControlOf(path) });
    responders.set(path, responder);
    return responder;
  };
  const responderAt = async (path: string) => {
    const make = files.get(path);
    return responders.get(path) ?? (make && open(path, make));
  };
  return async (path, wantsMarkdown, headers) => {
    const isNegotiated = files.has(`${path}.md`);
    const responder = await responderAt(isNegotiated && wantsMarkdown ? `${path}.md` : path);
    if (!responder) {
      // Only browsers get a page: every other client of this host expects its errors as JSON.
      if (!prefersHtml(headers["accept"])) throw new Fault("not_found");
      const { text, type } = notFoundPage(edition);
      return new Response(text, {
        status: 404,
        headers: { ...HEADERS, "cache-control": "no-cache", "content-type": type },
      });
    }
    const response = await responder(headers);
    if (isNegotiated) response.headers.append("vary", "Accept");
    return response;
  };
};
