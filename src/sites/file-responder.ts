import type { BlobSource } from "../deploys/blobs.ts";
import type { PathHeaders } from "../deploys/rules/headers.ts";
import { pathHeaderBytes, withPathHeaders } from "./path-headers.ts";
import {
  type Accepted,
  type Representation,
  type ServedFile,
  selectRepresentation,
} from "./representation.ts";
import type { ResponseCache } from "./response-cache.ts";
import { MAX_BYTES_IN_MEMORY, conditionalResponse, fullResponse, headResponse } from "./responses.ts";

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
