import { Fault } from "../lib/errors.ts";
import { hasAborted } from "./abort.ts";

const tooLarge = (limit: number) =>
  new Fault("payload_too_large", `The request body is larger than ${limit} bytes.`, { connection: "close" });

const readUpTo = async (request: Request, limit: number): Promise<Uint8Array> => {
  const announced = request.headers.get("content-length");
  if (announced !== null && Number(announced) > limit) throw tooLarge(limit);
  // The server enforces the length that the client announced.
  if (announced !== null || !request.body) return request.bytes();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
};

/**
 * Reads a body of at most `limit` bytes, whether its length was announced or not.
 * @throws Fault payload_too_large; invalid_request if the client closes the connection before the end
 */
export const readBodyWithin = async (request: Request, limit: number): Promise<Uint8Array> => {
  try {
    const bytes = await readUpTo(request, limit);
    if (!(await hasAborted(request))) return bytes;
  } catch (error) {
    if (error instanceof Fault) throw error;
  }
  throw new Fault("invalid_request", "The request body ended before it was complete.");
};
