import { Fault } from "../lib/errors.ts";
import { hasAborted } from "./abort.ts";

/** A body may take `graceMs` plus the transfer time of its bytes at this rate. Without a limit, an endless body would hold its request forever. */
export const BODY_PACE = { graceMs: 30_000, bytesPerSecond: 1024 };

const tooLarge = (limit: number) =>
  new Fault("payload_too_large", `The request body is larger than ${limit} bytes.`, { connection: "close" });

/** After the response, Bun stops reading the body: it closes the connection, or resets the stream with NO_ERROR. */
const tooSlow = () => new Fault("request_timeout", undefined, { connection: "close" });

const readUpTo = async (request: Request, announced: number | undefined, limit: number) => {
  // The server enforces the length that the client announced.
  if (announced !== undefined || !request.body) return request.bytes();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
};

const inTime = <Value>(ms: number, reading: Promise<Value>): Promise<Value> => {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(tooSlow()), ms);
  return Promise.race([reading, late]).finally(() => clearTimeout(timer));
};

const announcedLength = ({ headers }: Request): number | undefined => {
  const length = headers.get("content-length");
  return length === null ? undefined : Number(length);
};

/**
 * Reads a body of at most `limit` bytes, whether its length was announced or not.
 * @throws Fault payload_too_large, request_timeout; invalid_request if the client closes the connection before the body's end
 */
export const readBodyWithin = async (
  request: Request,
  limit: number,
  { graceMs, bytesPerSecond } = BODY_PACE,
): Promise<Uint8Array> => {
  const announced = announcedLength(request);
  if (announced !== undefined && announced > limit) throw tooLarge(limit);
  const ms = graceMs + (1000 * (announced ?? limit)) / bytesPerSecond;
  try {
    const bytes = await inTime(ms, readUpTo(request, announced, limit));
    if (!(await hasAborted(request))) return bytes;
  } catch (error) {
    if (error instanceof Fault) throw error;
  }
  throw new Fault("invalid_request", "The request body ended before it was complete.");
};
