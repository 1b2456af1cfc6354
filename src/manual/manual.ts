import { documentOf } from "./layout.ts";
import { withAddresses } from "./links.ts";
import { llmsText } from "./llms.ts";
import { PICTURES } from "./contents.ts";
import { INDEX_PAGE, PAGES, type Page, markdownOf } from "./pages.ts";
import { render } from "./render.ts";

/** A file of the manual. */
export interface ManualFile {
  type: string;
  text: string;
}

const HTML = "text/html; charset=utf-8";
const MARKDOWN = "text/markdown; charset=utf-8";

const htmlOf = async (page: Page, base: string): Promise<ManualFile> => ({
  type: HTML,
  text: documentOf(page, render(await markdownOf(page), page.path, base), base),
});

const markdownFile = async (page: Page, base: string): Promise<ManualFile> => ({
  type: MARKDOWN,
  text: withAddresses(await markdownOf(page), page.path, base),
});

/**
 * The files of the manual by their path below `base`: `how-to/backups` is a page, and `how-to/backups.md` its Markdown.
 * They are made when they are asked for.
 * @param origin of the addresses in llms.txt; empty makes them relative
 */
export const manualFiles = (base: string, origin = ""): ReadonlyMap<string, () => Promise<ManualFile>> => {
  const files = new Map<string, () => Promise<ManualFile>>();
  for (const page of [INDEX_PAGE, ...PAGES]) {
    files.set(page.path, () => htmlOf(page, base));
    files.set(`${page.path}.md`, () => markdownFile(page, base));
  }
  for (const [path, text] of Object.entries(PICTURES))
    files.set(path, () => Promise.resolve({ type: "image/svg+xml", text }));
  files.set("llms.txt", () =>
    Promise.resolve({ type: "text/plain; charset=utf-8", text: llmsText(origin + base) }),
  );
  return files;
};

export const notFoundPage = (base: string): ManualFile => {
  const page = { path: "404", title: "Page not found", summary: "" };
  const html = `<h1>Page not found</h1>\n<p>The manual has no page at this address. <a href="${base || "/"}">Go to its first page</a>, or choose one from the menu.</p>`;
  return { type: HTML, text: documentOf(page, { html, headings: [] }, base) };
};
