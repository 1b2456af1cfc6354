const originals = new WeakMap<Request, Request>();

/** The request as its listener knows it. */
export const originalOf = (request: Request): Request => originals.get(request) ?? request;

/** The request with a body that can be read again. Its connection is looked up by the original. */
export const copyOf = (request: Request, body: Uint8Array, method = request.method): Request => {
  const { url, headers, signal } = request;
  const copy = new Request(url, { method, headers, signal, ...(body.length > 0 && { body }) });
  originals.set(copy, originalOf(request));
  return copy;
};
