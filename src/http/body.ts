import { Elysia } from "elysia";
import { Fault } from "../lib/errors.ts";
import { parseDomainList } from "../lib/domain-list.ts";
import { parseJson } from "../lib/json.ts";
import { withDeadline } from "../lib/time.ts";
import { type Caller, callerId } from "./authorization.ts";
import { YAML_TYPES, parseYaml } from "./yaml.ts";

/**
 * True if Bun has closed the request's connection after parsing everything that arrived with the request. Bun 1.4.4 closes it
 * when a chunked body ends with trailer fields or is followed by another request, and the client gets no response or a 400.
 * Await this before acting on a request, so that such a request has no effect.
 */
export const hasAborted = async ({ signal }: Request): Promise<boolean> => {
  await new Promise<void>((resolve) => setImmediate(resolve));
  return signal.aborted;
};

/** A request body that is a file. */
export interface FileUpload {
  /** The Content-Length; undefined for a chunked body. */
  length: number | undefined;
  body: ReadableStream<Uint8Array> | null;
  /** True if the connection was closed, although the body seems complete. */
  isCutOff(): Promise<boolean>;
  /** Identifies the caller that sends it, for the limit of its uploads. */
  caller: string;
}

export const uploadOf = (request: Request, caller: Caller): FileUpload => {
  const length = request.headers.get("content-length");
  return {
    length: length === null ? undefined : Number(length),
    body: request.body,
    isCutOff: () => hasAborted(request),
    caller: callerId(caller),
  };
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

const readChunks = async (body: ReadableStream<Uint8Array>, limit: number, pace: Pace) => {
  const startedAt = performance.now();
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const allowedMs = pace.graceMs + (1000 * size) / pace.bytesPerSecond;
    const remainingMs = startedAt + allowedMs - performance.now();
    const { done, value } = await withDeadline(reader.read(), remainingMs, tooSlow);
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
        ? await withDeadline(request.bytes(), pace.graceMs, tooSlow)
        : await readChunks(request.body, limit, pace);
    if (!(await hasAborted(request))) return bytes;
  } catch (error) {
    if (error instanceof Fault) throw error;
  }
  throw new Fault("invalid_request", "The request body ended before it was complete.");
};

/** The media type in a Content-Type header, without parameters; undefined if the charset is not UTF-8. */
const mediaTypeOf = (contentType: string | null): string | undefined => {
  const [type = "", ...parameters] = (contentType ?? "")
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const isUtf8 = parameters.every((parameter) => parameter === "" || /^charset="?utf-8"?$/.test(parameter));
  return isUtf8 ? type : undefined;
};

type Parse = (text: string) => unknown;

const JSON_ONLY: [type: string, parse: Parse] = ["application/json", parseJson];

/** The parsers of each body format, by media type. */
const PARSERS = {
  json: new Map([JSON_ONLY]),
  // RFC 7396 section 4.
  "json or merge patch": new Map([JSON_ONLY, ["application/merge-patch+json", parseJson]]),
  "json or domain list": new Map([JSON_ONLY, ["text/csv", parseDomainList]]),
  "json or yaml": new Map([JSON_ONLY, ...YAML_TYPES.map((type): [string, Parse] => [type, parseYaml])]),
} satisfies Record<string, ReadonlyMap<string, Parse>>;

export type BodyFormat = keyof typeof PARSERS;

/** The media types of a route's body; none if the route has no body. */
export const bodyTypes = (format: BodyFormat | undefined): string[] =>
  format ? [...PARSERS[format].keys()] : [];

const utf8 = new TextDecoder("utf-8", { fatal: true });

const decode = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Fault("invalid_request", "The body is not valid UTF-8.");
  }
};

const readBody = async (request: Request, format: BodyFormat, limit: number): Promise<unknown> => {
  const parse = PARSERS[format].get(mediaTypeOf(request.headers.get("content-type")) ?? "");
  const accept = bodyTypes(format).join(", ");
  const message = `The request body must be sent as Content-Type: ${accept.replaceAll(", ", " or ")}.`;
  // RFC 5789 section 2.2: a 415 to a PATCH lists the supported patch formats.
  const patch = request.method === "PATCH" ? { "accept-patch": accept } : {};
  if (!parse) throw new Fault("unsupported_media_type", message, { accept, ...patch });
  if ((request.headers.get("content-encoding") ?? "identity") !== "identity")
    throw new Fault("unsupported_media_type", "The request body must not be compressed.", {
      "accept-encoding": "identity",
      ...patch,
    });
  return parse(decode(await readBodyWithin(request, limit)));
};

/** The macro of routes with a body: `reads: "json"`. List it after `scope`, so that no body is read without a valid key. */
export const body = ({ bodyLimit }: { bodyLimit: number }) =>
  new Elysia({ name: "body" }).macro("reads", (format: BodyFormat) => ({
    // Replaces Elysia's own parsers.
    parse: () => null,
    // Elysia adds a transform's return value to the context, though its types say void.
    transform: async ({ request }) =>
      ({ body: await readBody(request, format, bodyLimit) }) as unknown as void,
  }));
