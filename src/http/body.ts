import { Elysia } from "elysia";
import { Fault } from "../lib/errors.ts";
import { parseDomainList } from "../lib/domain-list.ts";
import { parseJson } from "../lib/json.ts";
import { readBodyWithin } from "./body-limit.ts";
import { YAML_TYPES, parseYaml } from "./yaml.ts";

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
