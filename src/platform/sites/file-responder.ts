import type { BlobSource } from "../deploys/blobs.ts";
import type { PathHeaders } from "../deploys/rules/headers.ts";
import { lruCache } from "../../lib/lru.ts";
import {
  type Accepted,
  type Representation,
  type ServedFile,
  MAX_BYTES_IN_MEMORY,
  conditionalResponse,
  fullResponse,
  headResponse,
  selectRepresentation,
} from "./responses.ts";

/** Headers about a file. Redirects and errors omit them. */
const OF_FILES: ReadonlySet<string> = new Set([
  "cache-control",
  "cdn-cache-control",
  "content-disposition",
  "content-language",
  "content-type",
]);

/** RFC 9110 section 15.4.5: a 304 has no metadata of the file but what caches need. */
const mayHave = (status: number, name: string): boolean =>
  !OF_FILES.has(name) ||
  status === 200 ||
  status === 206 ||
  (status === 304 && name.endsWith("cache-control"));

/** Sets the headers that the site's `_headers` has for the path of a response. */
export const withPathHeaders = (response: Response, headers: PathHeaders | undefined): Response => {
  if (!headers) return response;
  for (const [name, value] of headers.values) {
    // The service's own Vary stays: caches would mix up codings without it. Links add up.
    if (name === "vary" || name === "link") response.headers.append(name, value);
    else if (mayHave(response.status, name)) response.headers.set(name, value);
  }
  return response;
};

/** Their size in memory. */
const pathHeaderBytes = (headers: PathHeaders | undefined): number =>
  headers ? headers.values.entries().reduce((sum, [name, value]) => sum + name.length + value.length, 0) : 0;

/** The size of a cached response in addition to its body and the site's own headers. */
const RESPONSE_OVERHEAD = 1024;

/** Whole responses, ready to be cloned. All sites share one cache. */
export const responseCache = (maxBytes: number) => {
  const responses = lruCache<string, Response>({ maxEntries: Infinity, maxBytes });
  return {
    get: responses.get,
    /** @param bytes of the body, and of the site's own headers */
    set: (key: string, response: Response, bytes: number) =>
      responses.set(key, response, bytes + RESPONSE_OVERHEAD + 2 * key.length),
  };
};
export type ResponseCache = ReturnType<typeof responseCache>;

/** A request to a site. */
export interface SiteRequest {
  method: string;
  /** The path as it was sent, percent-encoded, without the query. */
  path: string;
  /** With its question mark, or empty. */
  query: string;
  headers: Headers;
  /** True to read large files while they are sent, and not ahead: an unread response then takes little memory. */
  inParts: boolean;
}

/** A request for one path of a site. */
export interface PathRequest {
  request: SiteRequest;
  accepted: Accepted;
  /** The site's own headers for the path. */
  headers: PathHeaders | undefined;
}

/** True for a GET without conditions and ranges: it gets the whole file. */
export const wantsWhole = ({ method, headers }: SiteRequest): boolean =>
  method === "GET" &&
  headers.get("if-none-match") === null &&
  headers.get("if-match") === null &&
  headers.get("range") === null;

/** Responds with files, and caches whole responses of small ones under the keys that it is given. */
export const fileResponder = ({ blobs, responses }: { blobs: BlobSource; responses: ResponseCache }) => {
  const makeWhole = async (
    file: ServedFile,
    status: 200 | 404,
    representation: Representation,
    { request, headers }: PathRequest,
    key: string,
  ): Promise<Response> => {
    const whole = await fullResponse(file, representation, { status, inParts: request.inParts }, blobs);
    const response = withPathHeaders(whole, headers);
    if (representation.size > MAX_BYTES_IN_MEMORY) return response;
    responses.set(key, response, representation.size + pathHeaderBytes(headers));
    return response.clone() as Response;
  };

  return {
    async respond(asked: PathRequest, file: ServedFile, key: string): Promise<Response> {
      const { request, accepted, headers } = asked;
      const cached = wantsWhole(request) ? responses.get(key) : undefined;
      if (cached) return cached.clone() as Response;
      const representation = selectRepresentation(file, accepted.codings);
      const conditional = await conditionalResponse(request, file, representation, blobs);
      if (conditional) return withPathHeaders(conditional, headers);
      const response = await makeWhole(file, 200, representation, asked, key);
      return request.method === "HEAD" ? headResponse(response, representation.size) : response;
    },
    /** Responds with the 404 page. Conditions and ranges do not apply to it. */
    async respondNotFound(asked: PathRequest, page: ServedFile, key: string): Promise<Response> {
      const representation = selectRepresentation(page, asked.accepted.codings);
      const cached = responses.get(key)?.clone() as Response | undefined;
      const response = cached ?? (await makeWhole(page, 404, representation, asked, key));
      return asked.request.method === "HEAD" ? headResponse(response, representation.size) : response;
    },
  };
};
