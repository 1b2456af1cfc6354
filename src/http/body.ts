import { Elysia } from "elysia";
import { Fault } from "./faults.ts";
import { parseJson } from "./json.ts";

const tooLarge = (limit: number) =>
  new Fault("payload_too_large", `The request body is larger than ${limit} bytes.`, { connection: "close" });

/** Reads at most `limit` bytes of a body, whether its length was announced or not. @throws Fault payload_too_large */
const readBounded = async (request: Request, limit: number): Promise<Uint8Array> => {
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

/** The same; a client that leaves in the middle is no error of ours. */
const readBytes = async (request: Request, limit: number): Promise<Uint8Array> => {
  try {
    return await readBounded(request, limit);
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault("invalid_request", "The request body ended before it was complete.");
  }
};

/** The media type of a Content-Type header, without parameters; only UTF-8 is JSON (RFC 8259 section 8.1). */
const isJson = (contentType: string | null): boolean => {
  const [type = "", ...parameters] = (contentType ?? "")
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  return (
    type === "application/json" &&
    parameters.every((parameter) => parameter === "" || /^charset="?utf-8"?$/.test(parameter))
  );
};

const utf8 = new TextDecoder("utf-8", { fatal: true });

const decode = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Fault("invalid_request", "The body is not valid UTF-8.");
  }
};

const readJson = async (request: Request, limit: number): Promise<unknown> => {
  if (!isJson(request.headers.get("content-type")))
    throw new Fault("unsupported_media_type", undefined, { accept: "application/json" });
  if ((request.headers.get("content-encoding") ?? "identity") !== "identity")
    throw new Fault("unsupported_media_type", "The request body must not be compressed.", {
      "accept-encoding": "identity",
    });
  return parseJson(decode(await readBytes(request, limit)));
};

/** The macro of routes that take JSON: `reads: "json"`, named behind `scope`, so that no stranger's body is read. */
export const body = ({ bodyLimit }: { bodyLimit: number }) =>
  new Elysia({ name: "body" }).macro("reads", (_type: "json") => ({
    // Elysia adds what a transform returns to the context, though its types say void.
    transform: async ({ request }) => ({ body: await readJson(request, bodyLimit) }) as unknown as void,
  }));
