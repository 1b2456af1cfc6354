/**
 * True if the connection of a request is closed, after everything that arrived with the request was parsed. Bun 1.4.4 closes
 * a connection when a chunked body ends in trailer fields or another request follows it, and the client gets no response or
 * the parser's 400. So await this before acting on a request: then the request was not executed.
 */
export const hasAborted = async ({ signal }: Request): Promise<boolean> => {
  await new Promise<void>((resolve) => setImmediate(resolve));
  return signal.aborted;
};
