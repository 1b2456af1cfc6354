import type { BlobSource } from "../deploys/blobs.ts";
import type { Manifest, SiteFile } from "../deploys/manifest.ts";
import { headersFor } from "../deploys/rules/headers.ts";
import { HEADERS_FILE, REDIRECTS_FILE, type SiteRules } from "../deploys/rules/site-rules.ts";
import { decodePath } from "../lib/url-path.ts";
import { type PathRequest, type SiteRequest, fileResponder, wantsWhole } from "./file-responder.ts";
import { hasMarkdownPages, negotiate } from "./markdown.ts";
import { withPathHeaders } from "./path-headers.ts";
import { fileFor, resolvePath } from "./paths.ts";
import { type FoundRedirect, redirectFinder, withQuery } from "./redirect-finder.ts";
import { type Accepted, type ServedFile, acceptReader } from "./representation.ts";
import type { ResponseCache } from "./response-cache.ts";
import { headResponse, redirectResponse, textResponse } from "./responses.ts";

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
 * files are cached. A page that has Markdown beside it is negotiated.
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
