import type { Edition } from "./edition.ts";
import { addressOf } from "./links.ts";
import { PAGES, markdownOf } from "./pages.ts";
import { render, unescapeHtml } from "./render.ts";
import type { Entry } from "./ui/search-engine.ts";

/** The link to itself next to a heading. */
const ANCHOR = /<a class="anchor"[^>]*>#<\/a>/g;

const plain = (html: string): string => unescapeHtml(html).replaceAll(/\s+/g, " ").trim();

/** The parts of a rendered page. A heading without an id has that of its container. */
const partsOf = (html: string, address: string, page: string): Entry[] => {
  const first: Entry = { address, page, heading: page, text: "" };
  const parts = [first];
  let isHeading = false;
  let id = "";
  const last = () => parts.at(-1) ?? first;
  new HTMLRewriter()
    .on("[id]", {
      element(element) {
        id = element.getAttribute("id") ?? "";
      },
    })
    .on("h1, h2, h3", {
      element(element) {
        isHeading = true;
        if (element.tagName !== "h1")
          parts.push({ address: `${address}#${id}`, page, heading: "", text: "" });
        element.onEndTag(() => {
          isHeading = false;
        });
      },
    })
    .onDocument({
      text({ text }) {
        if (!isHeading) last().text += text;
        else if (parts.length > 1) last().heading += text;
      },
    })
    .transform(html.replaceAll(ANCHOR, ""));
  for (const part of parts) {
    part.heading = plain(part.heading);
    part.text = plain(part.text);
  }
  return parts;
};

/** Everything that the search of the manual finds: all but the first page, which only lists the others. */
export const searchIndex = async ({ otherPages }: Edition): Promise<Entry[]> => {
  const entries = [];
  for (const { path, title, make } of otherPages) {
    const { html } = await make(Bun.escapeHTML);
    entries.push(...partsOf(html, addressOf(path), title));
  }
  for (const page of PAGES) {
    const { html } = render(await markdownOf(page), page.path);
    entries.push(...partsOf(html, addressOf(page.path), page.title));
  }
  return entries;
};
