/** Reads at most so many bytes. @throws if there are more */
const readWithin = async (
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the stream.
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`the response is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
};

/** A `fetch` for another's server: its responses are limited in time, which includes the body, and in size. */
export const limitedFetch =
  ({ timeoutMs, maxBytes }: { timeoutMs: number; maxBytes: number }) =>
  async (url: string | URL, options: BunFetchRequestInit = {}): Promise<Response> => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
    const response = await fetch(url, { ...options, redirect: "manual", signal });
    const { status, headers } = response;
    const body = response.body && (await readWithin(response.body, maxBytes));
    return new Response(status === 204 || status === 304 ? null : body, { status, headers });
  };
