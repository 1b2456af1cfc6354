import { once } from "../../lib/lazy.ts";
import { openHighlighter } from "./highlighter.js";
import { MANUAL_PATH } from "./edition.ts";
import { addressOf, targetOf } from "./links.ts";

const highlighter = once(openHighlighter);

/** The HTML of code, with the classes of highlight.js; without them if the language is unknown. */
export const highlight = (code: string, language: string): string => {
  const opened = highlighter();
  return opened.getLanguage(language) ? opened.highlight(code, { language }).value : Bun.escapeHTML(code);
};

const ATTRIBUTE = /([\w-]+)=(?:"([^"]*)"|(\S+))/g;

/**
 * Reads the class that a fence's info string became: `language-js file=walk.mjs`, with a no-break space.
 * @returns `place`: the file that the reader saves the code as, or where in the file the code goes
 */
const infoOf = (className: string): { language: string; place: string | undefined } => {
  const info = className.replace(/^language-/, "").replaceAll("&quot;", '"');
  const { file, after, before, instead } = Object.fromEntries(
    [...info.matchAll(ATTRIBUTE)].map(([, name, quoted, bare]) => [name, quoted ?? bare]),
  );
  const anchor = [
    after && `after: ${after}`,
    before && `before: ${before}`,
    instead && `instead of: ${instead}`,
  ].find(Boolean);
  return {
    language: /^[\w-]*/.exec(info)?.[0] ?? "",
    place: anchor === undefined ? file : `${file}, ${anchor.replaceAll("\u00a0", " ")}`,
  };
};

const FENCE = /^([ \t]*(?:`{3,}|~{3,})[\w-]+) (.+)$/gm;

/** Bun.markdown keeps an info string up to its first space: a no-break space keeps the attributes. */
const keepAttributes = (markdown: string): string =>
  markdown.replace(FENCE, (_whole, fence: string, attributes: string) =>
    `${fence} ${attributes}`.replaceAll(/(?<=\S) (?=\S)/g, "\u00a0"),
  );

const PROMPT = /^[$#] /;

const span = (className: string, html: string): string => `<span class="${className}">${html}</span>`;

/**
 * A terminal: the lines that begin with `$ ` or `# `, and their continuations after a backslash, are commands. The others are
 * output.
 */
const terminal = (code: string): string => {
  let continues = false;
  return code
    .split("\n")
    .map((line) => {
      const prompt = continues ? "" : (PROMPT.exec(line)?.[0] ?? "");
      const isCommand = continues || prompt !== "";
      continues = isCommand && line.endsWith("\\");
      if (!isCommand) return line && span("output", Bun.escapeHTML(line));
      const command = span("command", highlight(line.slice(prompt.length), "bash"));
      return prompt === "" ? command : span("prompt", prompt) + command;
    })
    .join("\n");
};

const codeHtml = (code: string, language: string): string =>
  language === "console" ? terminal(code) : highlight(code, language);

/** The fragment that code hosts give to a heading. Bun's own leaves out `_`, which codes of errors have. */
const idOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>|&\w+;/g, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\s-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");

/** Gives each heading of a page its own id. */
const withHeadingIds = (html: string): string => {
  const seen = new Map<string, number>();
  return html.replaceAll(/<(h[1-6])>(.*?)<\/\1>/gs, (_whole, tag: string, inner: string) => {
    const id = idOf(inner);
    const count = seen.get(id) ?? 0;
    seen.set(id, count + 1);
    return `<${tag} id="${count === 0 ? id : `${id}-${count}`}">${inner}</${tag}>`;
  });
};

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

/** Puts a link to itself next to each heading, and collects the headings. */
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
      const { language, place } = infoOf(element.getAttribute("class") ?? "");
      element.removeAttribute("class");
      if (language !== "") element.setAttribute("data-language", language);
      if (place !== undefined) element.setAttribute("data-file", place);
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
