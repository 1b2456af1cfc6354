import { Elysia } from "elysia";
import { hasAborted } from "./abort.ts";
import { readWithin } from "./body-limit.ts";
import { Fault } from "../lib/errors.ts";
import { parseJson } from "../lib/json.ts";
import { YAML_TYPES, parseYaml } from "./yaml.ts";

/** Reads a body. A client that leaves in the middle is not a failure of the server. @throws Fault */
const readBytes = async (request: Request, limit: number): Promise<Uint8Array> => {
  try {
    const bytes = await readWithin(request, limit);
    if (!(await hasAborted(request))) return bytes;
  } catch (error) {
    if (error instanceof Fault) throw error;
  }
  throw new Fault("invalid_request", "The request body ended before it was complete.");
};

/** The media type of a Content-Type header, without parameters; undefined for another character set than UTF-8. */
const typeOf = (contentType: string | null): string | undefined => {
  const [type = "", ...parameters] = (contentType ?? "")
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const isUtf8 = parameters.every((parameter) => parameter === "" || /^charset="?utf-8"?$/.test(parameter));
  return isUtf8 ? type : undefined;
};

/** RFC 7396 section 4. */
export const MERGE_PATCH = "application/merge-patch+json";

/** What a route reads; by media type, who parses it. */
const READERS = {
  json: new Map([["application/json", parseJson]]),
  "json or merge patch": new Map([
    ["application/json", parseJson],
    [MERGE_PATCH, parseJson],
  ]),
  "json or yaml": new Map([
    ["application/json", parseJson],
    ...YAML_TYPES.map((type) => [type, parseYaml] as const),
  ]),
} as const satisfies Record<string, ReadonlyMap<string, (text: string) => unknown>>;

export type BodyFormat = keyof typeof READERS;

/** The media types that a route reads; none if it reads no body. */
export const bodyTypes = (reading: BodyFormat | undefined): string[] =>
  reading ? [...READERS[reading].keys()] : [];

/** The field of a route's `detail` for what the route reads. It appears in no document. */
export const READS = "x-reads";

const utf8 = new TextDecoder("utf-8", { fatal: true });

const decode = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Fault("invalid_request", "The body is not valid UTF-8.");
  }
};

const read = async (request: Request, reading: BodyFormat, limit: number): Promise<unknown> => {
  const readers: ReadonlyMap<string, (text: string) => unknown> = READERS[reading];
  const parse = readers.get(typeOf(request.headers.get("content-type")) ?? "");
  const accept = bodyTypes(reading).join(", ");
  // RFC 5789 section 2.2: a 415 to a PATCH names the patches that there are.
  const patch = request.method === "PATCH" ? { "accept-patch": accept } : {};
  if (!parse)
    throw new Fault("unsupported_media_type", `The request body must be sent as Content-Type: ${accept}.`, {
      accept,
      ...patch,
    });
  if ((request.headers.get("content-encoding") ?? "identity") !== "identity")
    throw new Fault("unsupported_media_type", "The request body must not be compressed.", {
      "accept-encoding": "identity",
      ...patch,
    });
  return parse(decode(await readBytes(request, limit)));
};

/** The macro of routes that take a body: `reads: "json"`, named behind `scope`, so that no stranger's body is read. */
export const body = ({ bodyLimit }: { bodyLimit: number }) =>
  new Elysia({ name: "body" }).macro("reads", (reading: BodyFormat) => ({
    detail: { [READS]: reading } as object,
    // Elysia adds what a transform returns to the context, though its types say void.
    transform: async ({ request }) => ({ body: await read(request, reading, bodyLimit) }) as unknown as void,
  }));
