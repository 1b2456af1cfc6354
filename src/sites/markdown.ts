import type { Manifest, SiteFile } from "../deploys/manifest.ts";
import { encodeNames } from "../lib/url-path.ts";
import type { ServedFile } from "./representation.ts";

/** `guide.md` for `guide.html`; undefined for a file that is not a page. */
const markdownName = (name: string): string | undefined =>
  name.endsWith(".html") ? name.replace(/html$/, "md") : undefined;

const markdownOf = (name: string, files: Manifest): SiteFile | undefined => {
  const markdown = markdownName(name);
  return markdown === undefined ? undefined : files.get(markdown);
};

/** True if a page of the site has Markdown beside it. */
export const hasMarkdownPages = (files: Manifest): boolean =>
  files.keys().some((name) => markdownOf(name, files) !== undefined);

/**
 * A file in the form that a request prefers: a page that has Markdown beside it may be sent as that. Both forms vary with
 * Accept, and name the address that has the Markdown alone.
 */
export const negotiate = (
  page: SiteFile,
  { name, files, wantsMarkdown }: { name: string; files: Manifest; wantsMarkdown: boolean },
): ServedFile => {
  const markdown = markdownOf(name, files);
  if (!markdown) return page;
  const address = `/${encodeNames(markdownName(name) ?? "")}`;
  if (!wantsMarkdown)
    return {
      ...page,
      headers: { vary: "Accept", link: `<${address}>; rel="alternate"; type="text/markdown"` },
    };
  // RFC 9110 section 8.7: the address of this representation.
  return { ...markdown, headers: { vary: "Accept", "content-location": address } };
};
