import type { PublishedRedirect } from "./repository.ts";

/** What of a request a redirect keeps. */
export interface Kept {
  /** With its colon; "" for that of the scheme. */
  port: string;
  /** From its `/` on, as it was sent. */
  path: string;
  /** With its question mark, or empty. */
  query: string;
}

/** An hour: browsers keep a 301 for as long as they like, and domains can be removed. */
const PERMANENT = "public, max-age=3600";

/** Leads on to the primary domain, whatever the method; `scheme` is `http:` or `https:`, the port is that of the request, for all names share it. */
export const redirectTo = (
  { to, permanent }: PublishedRedirect,
  { port, path, query }: Kept,
  scheme: string,
): Response =>
  new Response(null, {
    status: permanent ? 301 : 302,
    headers: {
      location: `${scheme}//${to}${port}${path}${query}`,
      "cache-control": permanent ? PERMANENT : "no-store",
      "x-content-type-options": "nosniff",
    },
  });
