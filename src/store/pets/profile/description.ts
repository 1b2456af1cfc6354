/** CommonMark without HTML. Plain addresses are links, too. */
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

const REL = "nofollow noopener ugc";

const withoutForeignContent = new HTMLRewriter()
  .on("a", {
    element(link) {
      if (LINKABLE.test(link.getAttribute("href") ?? "")) link.setAttribute("rel", REL);
      else link.removeAndKeepContent();
    },
  })
  .on("img", {
    element(image) {
      // The value of an attribute is escaped.
      image.replace(image.getAttribute("alt") ?? "", { html: true });
    },
  });

/** A link, code or another tag, or an address in angle brackets, which Bun takes for HTML and escapes. */
const ADDRESS = /<(a|code)\b.*?<\/\1>|<(?:"[^"]*"|[^">])*>|&lt;(https?:\/\/(?:(?!&lt;)[^\s<>"])+?)&gt;/gis;

/** Links these addresses. Outside of tags, the renderer escapes quotes, so an address can end neither its attribute nor its tag. */
const linkAddresses = (html: string): string =>
  html.replace(ADDRESS, (found, _tag, address?: string) =>
    address === undefined ? found : `<a href="${address}" rel="${REL}">${address}</a>`,
  );

/** Renders CommonMark as HTML that any page can contain: HTML in it is text, pictures are their texts, and links lead to sites. */
export const descriptionHtml = (markdown: string): string =>
  linkAddresses(withoutForeignContent.transform(Bun.markdown.html(markdown, OPTIONS)));
