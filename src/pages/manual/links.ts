import { PICTURES } from "./contents.ts";
import { MANUAL_PATH } from "./edition.ts";
import { INDEX_PAGE, PAGES } from "./pages.ts";

/** The target of a page's link. */
export type Target = { kind: "page" | "file"; path: string; fragment: string } | { kind: "address" };

const PATHS = new Set([INDEX_PAGE, ...PAGES].map(({ path }) => path));

/** Pages that other rooms make have no Markdown, so a link names them as they are. */
const isFile = (path: string): boolean => Object.hasOwn(PICTURES, path) || path.startsWith("api/");

const splitFragment = (link: string): [path: string, fragment: string] => {
  const at = link.indexOf("#");
  return at === -1 ? [link, ""] : [link.slice(0, at), link.slice(at)];
};

/**
 * The target of a link on the page at `from`. Links between pages are relative paths of files, such as `../how-to/backups.md`,
 * so that they work on a code host too.
 * @returns undefined for a file that the manual does not contain, such as the README of the repository
 */
export const targetOf = (from: string, link: string): Target | undefined => {
  if (/^(?:[a-z][a-z\d+.-]*:|\/)/i.test(link)) return { kind: "address" };
  const [file, fragment] = splitFragment(link);
  if (file === "") return { kind: "page", path: from, fragment };
  const above = (from.match(/\//g) ?? []).length;
  const ups = file.split("/").filter((part) => part === "..").length;
  if (ups > above) return undefined;
  const path = new URL(file, `http://manual/${from}`).pathname.slice(1);
  if (isFile(path)) return { kind: "file", path, fragment };
  const page = path.replace(/\.md$/, "");
  return path.endsWith(".md") && PATHS.has(page) ? { kind: "page", path: page, fragment } : undefined;
};

export const addressOf = (path: string): string =>
  path === "index" ? MANUAL_PATH : `${MANUAL_PATH}/${path}`;

const LINK = /(?<!\\)(!?)\[([^\]]*)\]\(([^)\s]+)\)/g;

/** The Markdown of a page with addresses for links, so that it can be read anywhere on the host. */
export const withAddresses = (markdown: string, from: string): string =>
  markdown.replace(LINK, (whole, isImage: string, text: string, link: string) => {
    const target = targetOf(from, link);
    if (target?.kind === "address") return whole;
    if (!target) return text;
    const address = target.kind === "page" ? `${addressOf(target.path)}.md` : `${MANUAL_PATH}/${target.path}`;
    return `${isImage}[${text}](${address}${target.fragment})`;
  });
