import type { Manifest, SiteFile } from "../deploys/manifest.ts";

/** What a request path leads to; `location` is a path to redirect to, percent-encoded. */
export type Resolution = { file: SiteFile; path: string } | { location: string } | undefined;

/**
 * A request's path, still percent-encoded, as a path of the site without the leading slash. It is decoded once.
 * Undefined for one that no site has: `..`, `//`, NUL, a backslash, an encoded slash, a wrong percent-encoding.
 */
export const decodePath = (encoded: string): string | undefined => {
  if (!encoded.startsWith("/") || /%2f/i.test(encoded)) return undefined;
  let path;
  try {
    path = decodeURIComponent(encoded).slice(1);
  } catch {
    return undefined;
  }
  // eslint-disable-next-line no-control-regex
  if (/[\u0000\\]|^\/|\/\/|(?:^|\/)\.\.?(?:\/|$)/.test(path)) return undefined;
  return path.normalize("NFC");
};

/** Names that begin with a dot are kept but not served, but for `.well-known/` (RFC 8615). */
export const isHidden = (path: string): boolean => /(?:^|\/)\./.test(path.replace(/^\.well-known\//, ""));

const encodePath = (path: string): string => `/${path.split("/").map(encodeURIComponent).join("/")}`;

/** The address that a page is served at: `guide.html` at `guide`, `docs/index.html` at `docs/`. */
const cleanPath = (path: string): string =>
  /(?:^|\/)index\.html$/.test(path) ? path.slice(0, -"index.html".length) : path.replace(/\.html$/, "");

/** The name of the file that is served at an address, redirects left aside. */
const fileAt = (path: string, files: Manifest): string | undefined => {
  if (path === "" || path.endsWith("/"))
    return files.has(`${path}index.html`) ? `${path}index.html` : undefined;
  return [path, `${path}.html`].find((name) => files.has(name));
};

/** The address that this one should have been, if it is a known one; directories end with a slash, pages do not. */
const betterAddress = (path: string, files: Manifest): string | undefined => {
  if (files.has(`${path}/index.html`)) return `${path}/`;
  return /[^/]\/$/.test(path) && files.has(`${path.slice(0, -1)}.html`) ? path.slice(0, -1) : undefined;
};

/**
 * Finds what an address leads to. A page has one address: `/guide.html` redirects to `/guide` and `/docs/index.html` to
 * `/docs/`, unless another file is there; a file by the exact name goes before a page, and a page before a directory.
 */
export const resolvePath = (path: string, files: Manifest): Resolution => {
  if (isHidden(path)) return undefined;
  const name = fileAt(path, files);
  const file = name === undefined ? undefined : files.get(name);
  if (name === undefined || !file) {
    const better = betterAddress(path, files);
    return better === undefined ? undefined : { location: encodePath(better) };
  }
  const clean = cleanPath(name);
  return clean !== path && fileAt(clean, files) === name
    ? { location: encodePath(clean) }
    : { file, path: name };
};
