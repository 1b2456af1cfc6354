/**
 * True if the connection of a request is closed, once everything that has arrived with it was parsed. Bun 1.4.4 closes a
 * connection whose chunked body ends in trailer fields, or has another request behind it: a request that is not acted on
 * before this has resolved was not executed when its client gets no response, or a 400 of the parser.
 */
export const hasAborted = async ({ signal }: Request): Promise<boolean> => {
  await new Promise<void>((resolve) => setImmediate(resolve));
  return signal.aborted;
};
