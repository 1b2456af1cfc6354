import { Fault } from "../lib/errors.ts";

const tooLarge = (limit: number) =>
  new Fault("payload_too_large", `The request body is larger than ${limit} bytes.`, { connection: "close" });

/** Reads at most `limit` bytes of a body, whether its length was announced or not. @throws Fault payload_too_large */
export const readWithin = async (request: Request, limit: number): Promise<Uint8Array> => {
  const announced = request.headers.get("content-length");
  if (announced !== null && Number(announced) > limit) throw tooLarge(limit);
  // The server holds a client to the length that it announced.
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
