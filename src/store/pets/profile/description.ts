/** CommonMark without HTML. Bun reads links in angle brackets as HTML, so plain addresses are links instead. */
const OPTIONS = {
  noHtmlBlocks: true,
  noHtmlSpans: true,
  tables: false,
  strikethrough: false,
  tasklists: false,
  autolinks: { url: true, email: true },
};

/** The addresses that a description may link to. */
const LINKABLE = /^(https?:\/\/|mailto:)/i;

const withoutForeignContent = new HTMLRewriter()
  .on("a", {
    element(link) {
      if (LINKABLE.test(link.getAttribute("href") ?? "")) link.setAttribute("rel", "nofollow noopener ugc");
      else link.removeAndKeepContent();
    },
  })
  .on("img", {
    element(image) {
      // The value of an attribute is escaped.
      image.replace(image.getAttribute("alt") ?? "", { html: true });
    },
  });

/** Renders CommonMark as HTML that any page can contain: HTML in it is text, pictures are their texts, and links lead to sites. */
export const descriptionHtml = (markdown: string): string =>
  withoutForeignContent.transform(Bun.markdown.html(markdown, OPTIONS));
