/**
 * True if Bun has closed the request's connection after parsing everything that arrived with the request. Bun 1.4.4 closes it
 * when a chunked body ends with trailer fields or is followed by another request, and the client gets no response or a 400.
 * Await this before acting on a request, so that such a request has no effect.
 */
export const hasAborted = async ({ signal }: Request): Promise<boolean> => {
  await new Promise<void>((resolve) => setImmediate(resolve));
  return signal.aborted;
};
