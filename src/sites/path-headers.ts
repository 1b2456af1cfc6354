import type { PathHeaders } from "../deploys/rules/headers.ts";

/** Headers about a file. A redirect or an error has none of them. */
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

/** What they take in memory. */
export const pathHeaderBytes = (headers: PathHeaders | undefined): number =>
  headers ? headers.values.entries().reduce((sum, [name, value]) => sum + name.length + value.length, 0) : 0;
