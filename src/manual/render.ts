import { addressOf, targetOf } from "./links.ts";

/** A heading of a page, for its table of contents. */
export interface Heading {
  level: number;
  id: string;
  text: string;
}

export interface Rendered {
  html: string;
  headings: Heading[];
}

// Raw HTML is shown as text: generated parts hold `<slug>` and the like.
const OPTIONS = { tables: true, noHtmlBlocks: true, noHtmlSpans: true } as const;

/** The fragment that code hosts give to a heading. Bun's own leaves out `_`, which codes of errors have. */
const idOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>|&\w+;/g, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\s-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");

const withIds = (html: string): string => {
  const seen = new Map<string, number>();
  return html.replaceAll(/<(h[1-6])>(.*?)<\/\1>/gs, (_whole, tag: string, inner: string) => {
    const id = idOf(inner);
    const count = seen.get(id) ?? 0;
    seen.set(id, count + 1);
    return `<${tag} id="${count === 0 ? id : `${id}-${count}`}">${inner}</${tag}>`;
  });
};

/** Renders the Markdown of the page at `path`, with links below `base`. */
export const render = (markdown: string, path: string, base: string): Rendered => {
  const headings: Heading[] = [];
  const link = (element: HTMLRewriterTypes.Element, attribute: "href" | "src") => {
    const target = targetOf(path, element.getAttribute(attribute) ?? "");
    if (!target) element.removeAndKeepContent();
    else if (target.kind === "page")
      element.setAttribute(attribute, addressOf(base, target.path) + target.fragment);
    else if (target.kind === "picture") element.setAttribute(attribute, `${base}/${target.path}`);
  };
  const html = new HTMLRewriter()
    .on("h2[id], h3[id]", {
      element(element) {
        const id = element.getAttribute("id") ?? "";
        headings.push({ level: Number(element.tagName[1]), id, text: "" });
        element.append(` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`, {
          html: true,
        });
      },
      text({ text }) {
        const heading = headings.at(-1);
        if (heading) heading.text += text;
      },
    })
    .on("a[href]", { element: (element) => link(element, "href") })
    .on("img[src]", { element: (element) => link(element, "src") })
    .on("table", {
      element(element) {
        element.before('<div class="scroll" tabindex="0">', { html: true });
        element.after("</div>", { html: true });
      },
    })
    .transform(withIds(Bun.markdown.html(markdown, OPTIONS)));
  return { html, headings };
};
