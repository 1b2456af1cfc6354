import type { BlobSource } from "../deploys/blobs.ts";
import type { Manifest, SiteFile } from "../deploys/manifest.ts";
import { lruCache } from "../lib/lru.ts";
import { decodePath, resolvePath } from "./paths.ts";
import {
  type Accepted,
  type Representation,
  acceptEncodingReader,
  selectRepresentation,
} from "./representation.ts";
import {
  MAX_BYTES_IN_MEMORY,
  conditionalResponse,
  fullResponse,
  headResponse,
  redirectResponse,
  textResponse,
} from "./responses.ts";

/** A request to a site. */
export interface SiteRequest {
  method: string;
  /** The path as it was sent, percent-encoded, without the query. */
  path: string;
  /** With its question mark, or empty. */
  query: string;
  headers: Headers;
}

/** What a cached response takes beside its body. */
const RESPONSE_OVERHEAD = 1024;

/** Whole responses, ready to be cloned. All sites share one cache. */
export const responseCache = (maxBytes: number) => {
  const responses = lruCache<string, Response>({ maxEntries: Infinity, maxBytes });
  return {
    get: responses.get,
    set: (key: string, response: Response, bodyBytes: number) =>
      responses.set(key, response, bodyBytes + RESPONSE_OVERHEAD + 2 * key.length),
  };
};
export type ResponseCache = ReturnType<typeof responseCache>;

interface SiteOptions {
  /** Identifies the deploy among all that share `responses`. */
  key: string;
  manifest: Manifest;
  blobs: BlobSource;
  responses: ResponseCache;
}

const NOT_FOUND_PAGE = "404.html";
const NOT_FOUND_TEXT = "There is nothing at this address.\n";

const readAcceptEncoding = acceptEncodingReader();

/** True for a GET without conditions and ranges: it gets the whole file. */
const wantsWhole = ({ method, headers }: SiteRequest): boolean =>
  method === "GET" &&
  headers.get("if-none-match") === null &&
  headers.get("if-match") === null &&
  headers.get("range") === null;

/**
 * Serves one deploy. URLs are clean (see `resolvePath`). A path without a file gets the site's own `404.html`. There are no
 * listings, and no files whose name begins with a dot but `.well-known/`. Whole responses of small files are cached.
 */
export const openSite = ({ key: siteKey, manifest, blobs, responses }: SiteOptions) => {
  // Paths match in either normalisation: archives made on macOS have the decomposed one.
  const files: Manifest = new Map([...manifest].map(([path, file]) => [path.normalize("NFC"), file]));

  const cache = (key: string, response: Response, { size }: Representation): Response => {
    if (size > MAX_BYTES_IN_MEMORY) return response;
    responses.set(key, response, size);
    return response.clone() as Response;
  };

  const respondWithFile = async (
    request: SiteRequest,
    file: SiteFile,
    { codings }: Accepted,
    key: string,
  ): Promise<Response> => {
    const representation = selectRepresentation(file, codings);
    const conditional = await conditionalResponse(request, file, representation, blobs);
    if (conditional) return conditional;
    const response = await fullResponse(file, representation, 200, blobs);
    return request.method === "HEAD"
      ? headResponse(response, representation.size)
      : cache(key, response, representation);
  };

  const respondNotFound = async ({ method }: SiteRequest, accepted: Accepted): Promise<Response> => {
    const page = files.get(NOT_FOUND_PAGE);
    const isHead = method === "HEAD";
    if (!page)
      return isHead
        ? headResponse(textResponse(404, ""), NOT_FOUND_TEXT.length)
        : textResponse(404, NOT_FOUND_TEXT);
    // All paths share it. No path has a space.
    const key = `${siteKey} ${accepted.key}  404`;
    const cached = responses.get(key);
    const representation = selectRepresentation(page, accepted.codings);
    const response = cached
      ? (cached.clone() as Response)
      : cache(key, await fullResponse(page, representation, 404, blobs), representation);
    return isHead ? headResponse(response, representation.size) : response;
  };

  const respondUncached = (
    request: SiteRequest,
    accepted: Accepted,
    key: string,
  ): Response | Promise<Response> => {
    const path = decodePath(request.path);
    if (path === undefined) return textResponse(400, "This address is not valid.\n");
    const resolved = resolvePath(path, files);
    if (!resolved) return respondNotFound(request, accepted);
    if ("location" in resolved) return redirectResponse(resolved.location + request.query);
    return resolved.path === NOT_FOUND_PAGE
      ? respondNotFound(request, accepted)
      : respondWithFile(request, resolved.file, accepted, key);
  };

  return {
    /** @throws (or rejects with) BlobDamaged or the system's error if a file of the site cannot be read */
    respond(request: SiteRequest): Response | Promise<Response> {
      const { method, path, headers } = request;
      if (method !== "GET" && method !== "HEAD")
        return textResponse(405, "Sites accept only GET and HEAD.\n", { allow: "GET, HEAD" });
      const accepted = readAcceptEncoding(headers.get("accept-encoding"));
      const key = `${siteKey} ${accepted.key} ${path}`;
      const cached = wantsWhole(request) ? responses.get(key) : undefined;
      return cached ? (cached.clone() as Response) : respondUncached(request, accepted, key);
    },
  };
};

export type Site = ReturnType<typeof openSite>;
