import type { Manifest, SiteFile } from "../deploys/manifest.ts";
import { encodeNames } from "../lib/url-path.ts";

/** The file that a URL path serves, or the path to redirect to, percent-encoded. */
type Resolution = { file: SiteFile; path: string } | { location: string } | undefined;

/** Files whose names begin with a dot are stored but not served, but for `.well-known/` (RFC 8615). */
const isHidden = (path: string): boolean => /(?:^|\/)\./.test(path.replace(/^\.well-known\//, ""));

const encodePath = (path: string): string => `/${encodeNames(path)}`;

/** The clean path of a page: `guide` for `guide.html`, `docs/` for `docs/index.html`. */
const cleanPath = (path: string): string =>
  /(?:^|\/)index\.html$/.test(path) ? path.slice(0, -"index.html".length) : path.replace(/\.html$/, "");

/** The name of the file that a path serves, redirects aside. */
const fileAt = (path: string, files: Manifest): string | undefined => {
  if (path === "" || path.endsWith("/"))
    return files.has(`${path}index.html`) ? `${path}index.html` : undefined;
  return [path, `${path}.html`].find((name) => files.has(name));
};

/** Adds the slash of a directory, or removes the slash after a page; undefined if neither leads to a file. */
const fixTrailingSlash = (path: string, files: Manifest): string | undefined => {
  if (files.has(`${path}/index.html`)) return `${path}/`;
  return /[^/]\/$/.test(path) && files.has(`${path.slice(0, -1)}.html`) ? path.slice(0, -1) : undefined;
};

/** The name of the file that a rule serves: that of the path, or of the directory there. */
export const fileFor = (path: string, files: Manifest): string | undefined =>
  isHidden(path) ? undefined : (fileAt(path, files) ?? fileAt(`${path}/`, files));

/**
 * Finds what a path serves. A page has one URL: `/guide.html` redirects to `/guide` and `/docs/index.html` to `/docs/`, unless
 * another file is there. A file with the exact name wins over a page, and a page over a directory.
 */
export const resolvePath = (path: string, files: Manifest): Resolution => {
  if (isHidden(path)) return undefined;
  const name = fileAt(path, files);
  const file = name === undefined ? undefined : files.get(name);
  if (name === undefined || !file) {
    const fixed = fixTrailingSlash(path, files);
    return fixed === undefined ? undefined : { location: encodePath(fixed) };
  }
  const clean = cleanPath(name);
  return clean !== path && fileAt(clean, files) === name
    ? { location: encodePath(clean) }
    : { file, path: name };
};
