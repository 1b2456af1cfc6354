/** Reads of the API that depend on nothing but the database and the request's key. */
const PLAIN_READ =
  /^https?:\/\/[^/]*\/v1\/(?:(?:pets|categories|store\/orders)(?:\/\d+)?|statistics(?:\/categories)?)(?:\?[^#]*)?$/;

/** No route has such a path, and `fetch` would not send it as it is. */
const UNROUTABLE = /^https?:\/\/[^/]*\/\/|#/;

/** True for a request that a worker may respond to by itself. No route has TRACE, and `fetch` drops the body of its response. */
export const isForWorker = ({ method, url }: Pick<Request, "method" | "url">): boolean =>
  method === "TRACE" ||
  UNROUTABLE.test(url) ||
  ((method === "GET" || method === "HEAD") && PLAIN_READ.test(url));
