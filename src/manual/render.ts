import { codeHtml, infoOf, keepAttributes } from "./code.ts";
import { withHeadingIds } from "./heading-ids.ts";
import { MANUAL_PATH } from "./edition.ts";
import { addressOf, targetOf } from "./links.ts";

/** A heading of a page. `html` is its text, escaped. */
export interface Heading {
  level: number;
  id: string;
  html: string;
}

export interface Rendered {
  html: string;
  headings: Heading[];
}

// Raw HTML is shown as text: generated parts hold `<slug>` and the like.
const OPTIONS = {
  tables: true,
  noHtmlBlocks: true,
  noHtmlSpans: true,
  noIndentedCodeBlocks: true,
} as const;

const HTML = { html: true } as const;

const ENTITIES: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&amp;": "&",
};

/** The text of what Bun.markdown escapes. */
export const unescapeHtml = (html: string): string =>
  html.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity);

/** Puts a link to itself beside each heading, and collects the headings. */
const headingHandlers = (headings: Heading[]): HTMLRewriterTypes.HTMLRewriterElementContentHandlers => ({
  element(element) {
    const heading: Heading = {
      level: Number(element.tagName[1]),
      id: element.getAttribute("id") ?? "",
      html: "",
    };
    headings.push(heading);
    element.before('<div class="heading">', HTML);
    element.onEndTag((end) => {
      const label = heading.html.replaceAll('"', "&quot;");
      end.after(`<a class="anchor" href="#${heading.id}" aria-label="Link to: ${label}">#</a></div>`, HTML);
    });
  },
  text({ text }) {
    const heading = headings.at(-1);
    if (heading) heading.html += text;
  },
});

/** Colours code, and names its file. */
const codeHandlers = (): HTMLRewriterTypes.HTMLRewriterElementContentHandlers => {
  let code = "";
  return {
    element(element) {
      code = "";
      const { language, file } = infoOf(element.getAttribute("class") ?? "");
      element.removeAttribute("class");
      if (language !== "") element.setAttribute("data-language", language);
      if (file !== undefined) element.setAttribute("data-file", file);
      element.onEndTag(
        (end) => void end.before(codeHtml(unescapeHtml(code).replace(/\n$/, ""), language), HTML),
      );
    },
    text(chunk) {
      code += chunk.text;
      chunk.remove();
    },
  };
};

const pointTo = (element: HTMLRewriterTypes.Element, attribute: "href" | "src", from: string): void => {
  const target = targetOf(from, element.getAttribute(attribute) ?? "");
  if (!target) element.removeAndKeepContent();
  else if (target.kind === "page") element.setAttribute(attribute, addressOf(target.path) + target.fragment);
  else if (target.kind === "file")
    element.setAttribute(attribute, `${MANUAL_PATH}/${target.path}${target.fragment}`);
};

/** Puts an element into another one. */
const wrapIn = (open: string, close: string) => ({
  element(element: HTMLRewriterTypes.Element) {
    element.before(open, HTML);
    element.after(close, HTML);
  },
});

/** The corner of a table with headers at two sides is a cell without text, and no header. */
const withoutEmptyHeaders = (html: string): string => html.replaceAll(/<th([^>]*)><\/th>/g, "<td$1></td>");

/** What Bun.markdown makes of a page. */
const plainHtml = (markdown: string): string =>
  withoutEmptyHeaders(withHeadingIds(Bun.markdown.html(keepAttributes(markdown), OPTIONS)));

/** Renders the Markdown of the page at `from`. */
export const render = (markdown: string, from: string): Rendered => {
  const headings: Heading[] = [];
  const html = new HTMLRewriter()
    .on("h2[id], h3[id]", headingHandlers(headings))
    .on("a[href]", { element: (element) => pointTo(element, "href", from) })
    .on("img[src]", { element: (element) => pointTo(element, "src", from) })
    .on("table", wrapIn('<div class="scroll" role="group" aria-label="Table" tabindex="0">', "</div>"))
    .on("pre", { element: (element) => void element.setAttribute("tabindex", "0") })
    .on("pre", wrapIn('<figure class="code">', "</figure>"))
    .on("pre > code", codeHandlers())
    .transform(plainHtml(markdown));
  return { html, headings };
};
