/**
 * Reads of the API that depend on nothing but the database and the request's key. A search may first have to bring the index
 * up to date, which writes: `q` is none of these parameters.
 */
const PLAIN_READ =
  /^https?:\/\/[^/]*\/v1\/(?:pets|categories|orders)(?:\/\d+)?(?:\?(?:(?!q=)[a-zA-Z]+=[^&#]*(?:&|$))*)?$/;

/** True for a request that a worker may respond to by itself. */
export const isPlainRead = ({ method, url }: Pick<Request, "method" | "url">): boolean =>
  (method === "GET" || method === "HEAD") && PLAIN_READ.test(url);
