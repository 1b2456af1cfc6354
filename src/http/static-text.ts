import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { type ContentCoding, acceptedCodings } from "../lib/accept.ts";
import { type RequestHeaders, isNotModified, etagOf, notModified } from "./etag.ts";

const QUALITY = 9;

const COMPRESS: Record<ContentCoding, (text: string) => Promise<Uint8Array<ArrayBuffer>>> = {
  br: (text) => promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } }),
  gzip: (text) => promisify(gzip)(text, { level: QUALITY }),
};

interface Representation {
  etag: string;
  body: string | Promise<Blob>;
}

const representationOf = (text: string, coding: ContentCoding | undefined): Representation => ({
  etag: etagOf(`${coding ?? ""} ${text}`),
  body: coding ? COMPRESS[coding](text).then((bytes) => new Blob([bytes])) : text,
});

/**
 * Serves a text that never changes in the coding that a request prefers, or 304. Each coding is made once, when it is first
 * asked for, and has a strong tag of its own (RFC 9110 section 8.8.3.3).
 */
export const staticText = (text: string, type: string, standing: Readonly<Record<string, string>>) => {
  const made = new Map<ContentCoding | undefined, Representation>();
  return async (given: RequestHeaders): Promise<Response> => {
    const [coding] = acceptedCodings(given["accept-encoding"]);
    const { etag, body } = made.get(coding) ?? representationOf(text, coding);
    made.set(coding, { etag, body });
    const headers = { ...standing, etag, vary: "Accept-Encoding" };
    if (isNotModified(given, etag)) return notModified(headers);
    return new Response(await body, {
      headers: { ...headers, "content-type": type, ...(coding && { "content-encoding": coding }) },
    });
  };
};
