import type { BlobSource } from "../deploys/blobs.ts";
import type { Manifest, SiteFile } from "../deploys/manifest.ts";
import { headersFor } from "../deploys/rules/headers.ts";
import { type Captures, exactPath, matchPattern } from "../deploys/rules/path-pattern.ts";
import { type RedirectRule, destinationOf } from "../deploys/rules/redirects.ts";
import { HEADERS_FILE, REDIRECTS_FILE, type SiteRules } from "../deploys/rules/site-rules.ts";
import { decodePath, encodeNames } from "../../lib/url-path.ts";
import {
  type PathRequest,
  type ResponseCache,
  type SiteRequest,
  fileResponder,
  wantsWhole,
  withPathHeaders,
} from "./file-responder.ts";
import {
  type Accepted,
  type ServedFile,
  acceptReader,
  headResponse,
  redirectResponse,
  textResponse,
} from "./responses.ts";

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
const fileFor = (path: string, files: Manifest): string | undefined =>
  isHidden(path) ? undefined : (fileAt(path, files) ?? fileAt(`${path}/`, files));

/**
 * Finds the file for a path. A page has one URL: `/guide.html` redirects to `/guide` and `/docs/index.html` to `/docs/`,
 * unless another file is there. A file with the exact name wins over a page, and a page over a directory.
 */
const resolvePath = (path: string, files: Manifest): Resolution => {
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

/** The rule for a path, and its destination, percent-encoded. */
interface FoundRedirect {
  rule: RedirectRule;
  destination: string;
}

/** Rules for one path that lead to the path itself: to find that out takes time, and a path can be long. */
const MAX_SKIPPED = 10;

const NO_CAPTURES: Captures = new Map();

/** The same for a path with and without a slash at its end. */
const exactKey = (path: string): string => (path.endsWith("/") ? path.slice(0, -1) : path);

const withoutQuery = (destination: string): string => destination.replace(/[?#].*/s, "");

/**
 * Finds the first rule for a path. Rules without a placeholder or splat take one look-up, regardless of their number. A
 * redirect to the path itself is skipped: a browser would follow it forever.
 */
export const redirectFinder = (rules: readonly RedirectRule[]) => {
  const exact = new Map<string, number>();
  const patterns: number[] = [];
  for (const [at, { from }] of rules.entries()) {
    const path = exactPath(from);
    if (path === undefined) patterns.push(at);
    else if (!exact.has(exactKey(path))) exact.set(exactKey(path), at);
  }

  /** The rules that match, in the order of the file. */
  function* matching(path: string): Generator<[at: number, captures: Captures]> {
    let pending = exact.get(exactKey(path));
    for (const at of patterns) {
      if (pending !== undefined && pending < at) {
        yield [pending, NO_CAPTURES];
        pending = undefined;
      }
      const captures = matchPattern((rules[at] as RedirectRule).from, path);
      if (captures) yield [at, captures];
    }
    if (pending !== undefined) yield [pending, NO_CAPTURES];
  }

  /** @param path decoded, without its leading slash */
  return (path: string): FoundRedirect | undefined => {
    let skipped = 0;
    for (const [at, captures] of matching(path)) {
      const rule = rules[at] as RedirectRule;
      const destination = destinationOf(rule, captures);
      if (rule.status === 200 || decodePath(withoutQuery(destination)) !== path) return { rule, destination };
      skipped += 1;
      if (skipped === MAX_SKIPPED) return undefined;
    }
    return undefined;
  };
};

/** A destination with the query of the request, unless it already has one. */
export const withQuery = (destination: string, query: string): string => {
  if (query === "" || /^[^#]*\?/.test(destination)) return destination;
  const [address = "", fragment] = destination.split("#", 2);
  return `${address}${query}${fragment === undefined ? "" : `#${fragment}`}`;
};

/** `guide.md` for `guide.html`; undefined for a file that is not a page. */
const markdownName = (name: string): string | undefined =>
  name.endsWith(".html") ? name.replace(/html$/, "md") : undefined;

const markdownOf = (name: string, files: Manifest): SiteFile | undefined => {
  const markdown = markdownName(name);
  return markdown === undefined ? undefined : files.get(markdown);
};

/** True if a page of the site has a Markdown version. */
const hasMarkdownPages = (files: Manifest): boolean =>
  files.keys().some((name) => markdownOf(name, files) !== undefined);

/**
 * A file in the form that a request prefers: a page with a Markdown version may be sent as that. Both forms vary with
 * Accept, and name the address that has the Markdown alone.
 */
const negotiate = (
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

interface SiteOptions {
  /** Identifies the deploy among all that share `responses`. */
  key: string;
  manifest: Manifest;
  /** Undefined for a site without `_redirects` and `_headers`. */
  rules: SiteRules | undefined;
  blobs: BlobSource;
  responses: ResponseCache;
}

const NOT_FOUND_PAGE = "404.html";
const NOT_FOUND_TEXT = "There is nothing at this address.\n";

const readAccept = acceptReader();

const plainNotFound = (method: string): Response =>
  method === "HEAD"
    ? headResponse(textResponse(404, ""), NOT_FOUND_TEXT.length)
    : textResponse(404, NOT_FOUND_TEXT);

/** The files that are served. Paths match in either normalisation: archives made on macOS have the decomposed one. */
const servedFiles = (manifest: Manifest): Manifest => {
  const files = new Map([...manifest].map(([path, file]) => [path.normalize("NFC"), file]));
  for (const file of [REDIRECTS_FILE, HEADERS_FILE]) files.delete(file);
  return files;
};

/**
 * Serves one deploy. URLs are clean (see `resolvePath`). A path without a file follows the site's `_redirects`, or gets its own
 * `404.html`. There are no listings, and no files whose name begins with a dot but `.well-known/`. Whole responses of small
 * files are cached. A page with a Markdown version is negotiated.
 */
export const openSite = ({ key: siteKey, manifest, rules, blobs, responses }: SiteOptions) => {
  const files = servedFiles(manifest);
  const hasMarkdown = hasMarkdownPages(files);
  const redirectAt = rules && redirectFinder(rules.redirects);
  const { respond, respondNotFound } = fileResponder({ blobs, responses });

  /** The key of a response that several paths share. No path has a space. */
  const sharedKey = ({ accepted, headers }: PathRequest, status: number, name: string): string =>
    `${siteKey} ${accepted.key}  ${status} ${headers?.key ?? ""} ${name}`;

  const negotiated = (file: SiteFile, name: string, { wantsMarkdown }: Accepted): ServedFile =>
    hasMarkdown ? negotiate(file, { name, files, wantsMarkdown }) : file;

  const notFound = (asked: PathRequest): Response | Promise<Response> => {
    const page = files.get(NOT_FOUND_PAGE);
    return page
      ? respondNotFound(asked, page, sharedKey(asked, 404, ""))
      : withPathHeaders(plainNotFound(asked.request.method), asked.headers);
  };

  /** Serves another file at the path. It is looked up once: no rule holds for the destination. */
  const rewrite = (asked: PathRequest, destination: string): Response | Promise<Response> => {
    const name = fileFor(decodePath(destination) ?? "", files);
    const file = name === undefined ? undefined : files.get(name);
    if (name === undefined || !file || name === NOT_FOUND_PAGE) return notFound(asked);
    // The name of the file may change with its content, but the path does not.
    const served = { ...negotiated(file, name, asked.accepted), immutable: false };
    return respond(asked, served, sharedKey(asked, 200, name));
  };

  const follow = (asked: PathRequest, { rule: { status }, destination }: FoundRedirect) =>
    status === 200
      ? rewrite(asked, destination)
      : withPathHeaders(redirectResponse(withQuery(destination, asked.request.query), status), asked.headers);

  const respondUncached = (
    request: SiteRequest,
    accepted: Accepted,
    key: string,
  ): Response | Promise<Response> => {
    const path = decodePath(request.path);
    if (path === undefined) return textResponse(400, "This address is not valid.\n");
    const asked = { request, accepted, headers: rules && headersFor(rules.headers, path) };
    const resolved = resolvePath(path, files);
    const found = resolved && "file" in resolved && resolved.path === NOT_FOUND_PAGE ? undefined : resolved;
    const redirect = redirectAt?.(path);
    if (redirect && (!found || redirect.rule.isForced)) return follow(asked, redirect);
    if (!found) return notFound(asked);
    return "location" in found
      ? withPathHeaders(redirectResponse(found.location + request.query), asked.headers)
      : respond(asked, negotiated(found.file, found.path, accepted), key);
  };

  return {
    /** @throws (or rejects with) BlobDamaged or the system's error if a file of the site cannot be read */
    respond(request: SiteRequest): Response | Promise<Response> {
      const { method, path, headers } = request;
      if (method !== "GET" && method !== "HEAD")
        return textResponse(405, "Sites accept only GET and HEAD.\n", { allow: "GET, HEAD" });
      const accepted = readAccept(headers, hasMarkdown);
      const key = `${siteKey} ${accepted.key} ${path}`;
      const cached = wantsWhole(request) ? responses.get(key) : undefined;
      return cached ? (cached.clone() as Response) : respondUncached(request, accepted, key);
    },
  };
};

export type Site = ReturnType<typeof openSite>;
