import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { type ContentCoding, acceptedCodings } from "../lib/accept.ts";
import { oncePer } from "../lib/lazy.ts";
import { type RequestHeaders, etagOf, isNotModified, notModified } from "./etag.ts";

const QUALITY = 9;

const COMPRESS: Record<ContentCoding, (text: string) => Promise<Uint8Array<ArrayBuffer>>> = {
  br: (text) => promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } }),
  gzip: (text) => promisify(gzip)(text, { level: QUALITY }),
};

/** The codings of a text that need no compression. */
type Compressed = Partial<Record<ContentCoding, Uint8Array<ArrayBuffer>>>;

const compress = async (text: string, coding: ContentCoding, compressed: Compressed): Promise<Blob> =>
  new Blob([compressed[coding] ?? (await COMPRESS[coding](text))]);

/**
 * Serves an immutable text in the content coding that the client prefers, or responds with 304. Each coding that
 * `compressed` omits is compressed once, on first use. Each has its own strong ETag (RFC 9110 section 8.8.3.3).
 */
export const staticText = (
  text: string,
  type: string,
  extraHeaders: Readonly<Record<string, string>>,
  compressed: Compressed = {},
) => {
  const representationIn = oncePer((coding: ContentCoding | undefined) => ({
    etag: etagOf(`${coding ?? ""} ${text}`),
    body: coding ? compress(text, coding, compressed) : text,
  }));
  return async (request: RequestHeaders): Promise<Response> => {
    const [coding] = acceptedCodings(request["accept-encoding"]);
    const { etag, body } = representationIn(coding);
    const headers = { ...extraHeaders, etag, vary: "Accept-Encoding" };
    if (isNotModified(request, etag)) return notModified(headers);
    return new Response(await body, {
      headers: { ...headers, "content-type": type, ...(coding && { "content-encoding": coding }) },
    });
  };
};
