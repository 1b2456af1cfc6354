const originals = new WeakMap<Request, Request>();

/** The request as its listener knows it. */
export const originalOf = (request: Request): Request => originals.get(request) ?? request;

/** The request with another body, URL or method. Its connection is looked up by the original. */
export const copyOf = (
  request: Request,
  { url = request.url, method = request.method, body }: { url?: string; method?: string; body: Uint8Array },
): Request => {
  const { headers, signal } = request;
  const copy = new Request(url, { method, headers, signal, ...(body.length > 0 && { body }) });
  originals.set(copy, originalOf(request));
  return copy;
};
