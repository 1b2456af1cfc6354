const OPTIONS = { noHtmlBlocks: true, noHtmlSpans: true } as const;

export const escape = (text: unknown): string => Bun.escapeHTML(String(text));

export const code = (text: unknown): string => `<code>${escape(text)}</code>`;

/** Markdown as paragraphs. */
export const paragraphs = (markdown: unknown): string =>
  typeof markdown === "string" ? Bun.markdown.html(markdown, OPTIONS).trim() : "";

/** Markdown of one paragraph, without the paragraph. */
export const inline = (markdown: unknown): string => paragraphs(markdown).replace(/^<p>|<\/p>$/g, "");

export const link = (href: string, html: string): string => `<a href="${escape(href)}">${html}</a>`;

const anchorOf = (anchor: string, text: string): string =>
  `<a class="anchor" href="#${anchor}" aria-label="Link to ${escape(text)}">#</a>`;

/** The heading of a part of the page, with a link to itself. */
export const partHeading = (anchor: string, text: string): string =>
  `<div class="heading"><h2 id="${anchor}">${escape(text)}</h2>${anchorOf(anchor, text)}</div>`;

/** The heading of a section that has the anchor itself. */
export const sectionHeading = (anchor: string, text: string): string =>
  `<div class="heading"><h3>${escape(text)}</h3>${anchorOf(anchor, text)}</div>`;

/** Joins the parts that are not empty. */
export const lines = (...parts: readonly string[]): string => parts.filter((part) => part !== "").join("\n");
