/**
 * Gives a request an `http:` URL. Elysia, configured for short host names, searches for the path after the
 * seven characters of `http://`. The connection tells whether a request arrived over HTTPS.
 */
export const withHttpUrl = (request: Request): Request => {
  const { url } = request;
  return url.startsWith("https://")
    ? Object.defineProperty(request, "url", { value: `http${url.slice("https".length)}`, configurable: true })
    : request;
};
