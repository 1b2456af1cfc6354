/** The fragment that code hosts give to a heading. Bun's own leaves out `_`, which codes of errors have. */
const idOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>|&\w+;/g, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\s-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");

/** Gives each heading of a page an id of its own. */
export const withHeadingIds = (html: string): string => {
  const seen = new Map<string, number>();
  return html.replaceAll(/<(h[1-6])>(.*?)<\/\1>/gs, (_whole, tag: string, inner: string) => {
    const id = idOf(inner);
    const count = seen.get(id) ?? 0;
    seen.set(id, count + 1);
    return `<${tag} id="${count === 0 ? id : `${id}-${count}`}">${inner}</${tag}>`;
  });
};
