/**
 * Gives a request an `http:` URL. Elysia, set up for short host names, looks for the path after the length of `http://`.
 * Whether a request arrived over HTTPS is known by its connection.
 */
export const withHttpUrl = (request: Request): Request => {
  const { url } = request;
  return url.startsWith("https://")
    ? Object.defineProperty(request, "url", { value: `http${url.slice("https".length)}`, configurable: true })
    : request;
};
