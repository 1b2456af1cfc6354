/**
 * The same request with the URL that Elysia reads a path of: told that hosts may be short, it looks for the path from the end
 * of `http://` on. Whether a request came over HTTPS is known by its connection.
 */
export const withHttpUrl = (request: Request): Request => {
  const { url } = request;
  return url.startsWith("https://")
    ? Object.defineProperty(request, "url", { value: `http${url.slice("https".length)}`, configurable: true })
    : request;
};
