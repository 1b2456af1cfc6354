import type { SiteDestination } from "./hosts.ts";

/** A request to a site, in parts. */
export interface SiteRequest {
  method: string;
  /** `http:` or `https:`, as the request arrived here. A proxy in front may have received it over the other. */
  scheme: string;
  /** The port of the Host header with its colon; "" for the scheme's own port. */
  port: string;
  /** The path as it was sent, percent-encoded, without the query. */
  path: string;
  /** The query with its question mark, or "". */
  query: string;
  headers: Headers;
  /** True to read large files while they are sent, and not ahead: an unread response then takes little memory. */
  inParts: boolean;
}

export interface Sites {
  /** The response to a request under a name; undefined if no site has the name. */
  respond(name: SiteDestination, request: SiteRequest): Response | Promise<Response> | undefined;
}

/** @param port the port of the Host header, with its colon */
export const siteRequestOf = (
  { method, url, headers }: Request,
  port: string,
  inParts: boolean,
): SiteRequest => {
  // After `http://`; the host was parsed before.
  const start = url.indexOf("/", 8);
  const mark = url.indexOf("?", start);
  return {
    method,
    scheme: url.slice(0, url.indexOf("/")),
    port,
    path: mark === -1 ? url.slice(start) : url.slice(start, mark),
    query: mark === -1 ? "" : url.slice(mark),
    headers,
    inParts,
  };
};
