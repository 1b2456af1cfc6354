import { ASSETS } from "./assets.ts";
import { PICTURES } from "./contents.ts";
import { type Edition, MANUAL_PATH } from "./edition.ts";
import { highlight } from "./highlight.ts";
import { documentOf, otherDocumentOf } from "./layout.ts";
import { withAddresses } from "./links.ts";
import { llmsText } from "./llms.ts";
import { INDEX_PAGE, PAGES, type Page, markdownOf } from "./pages.ts";
import { render } from "./render.ts";
import { searchIndex } from "./search-index.ts";

/** A file of the manual. */
export interface ManualFile {
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

export const notFoundPage = (edition: Edition): ManualFile => {
  const page = { path: "404", title: "Page not found", summary: "", section: undefined };
  const html = `<h1>Page not found</h1>
<p>The manual has no page at this address. <a href="${MANUAL_PATH}">Go to its first page</a>, or choose one from the menu.</p>`;
  return { type: HTML, text: documentOf(page, { html, headings: [] }, edition) };
};
