import { Fault } from "../lib/errors.ts";

/**
 * True if Bun has closed the request's connection after parsing everything that arrived with the request. Bun 1.4.4 closes it
 * when a chunked body ends with trailer fields or is followed by another request, and the client gets no response or a 400.
 * Await this before acting on a request, so that such a request has no effect.
 */
export const hasAborted = async ({ signal }: Request): Promise<boolean> => {
  await new Promise<void>((resolve) => setImmediate(resolve));
  return signal.aborted;
};

/**
 * A body may take `graceMs` plus the transfer time at this rate of the bytes that have arrived. Without a limit, an endless body
 * would hold its request forever.
 */
export const BODY_PACE = { graceMs: 30_000, bytesPerSecond: 1024 };
type Pace = typeof BODY_PACE;

/** A shorter body is read immediately: its bytes earn next to no time. */
const SHORT_BYTES = 1024;

const tooLarge = (limit: number) =>
  new Fault("payload_too_large", `The request body is larger than ${limit} bytes.`, { connection: "close" });

/** After the response, Bun stops reading the body: it closes the connection, or resets the stream with NO_ERROR. */
const tooSlow = () => new Fault("request_timeout", undefined, { connection: "close" });

const inTime = <Value>(ms: number, reading: Promise<Value>): Promise<Value> => {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(tooSlow()), ms);
  return Promise.race([reading, late]).finally(() => clearTimeout(timer));
};

const readChunks = async (body: ReadableStream<Uint8Array>, limit: number, pace: Pace) => {
  const startedAt = performance.now();
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const allowedMs = pace.graceMs + (1000 * size) / pace.bytesPerSecond;
    const { done, value } = await inTime(startedAt + allowedMs - performance.now(), reader.read());
    if (done) return Buffer.concat(chunks, size);
    size += value.length;
    if (size > limit) {
      void reader.cancel();
      throw tooLarge(limit);
    }
    chunks.push(value);
  }
};

/**
 * Reads a body of at most `limit` bytes, whether its length was announced or not.
 * @throws Fault payload_too_large, request_timeout; invalid_request if the client closes the connection before the body's end
 */
export const readBodyWithin = async (
  request: Request,
  limit: number,
  pace: Pace = BODY_PACE,
): Promise<Uint8Array> => {
  const length = request.headers.get("content-length");
  const announced = length === null ? Number.NaN : Number(length);
  if (announced > limit) throw tooLarge(limit);
  try {
    const bytes =
      announced <= SHORT_BYTES || !request.body
        ? await inTime(pace.graceMs, request.bytes())
        : await readChunks(request.body, limit, pace);
    if (!(await hasAborted(request))) return bytes;
  } catch (error) {
    if (error instanceof Fault) throw error;
  }
  throw new Fault("invalid_request", "The request body ended before it was complete.");
};
