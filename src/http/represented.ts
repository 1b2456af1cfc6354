import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { type Coding, acceptedCodings } from "./coding.ts";
import { type Given, isKnown, tagOf, unchanged } from "./tags.ts";

const QUALITY = 9;

const COMPRESS: Record<Coding, (text: string) => Promise<Uint8Array>> = {
  br: (text) => promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } }),
  gzip: (text) => promisify(gzip)(text, { level: QUALITY }),
};

/**
 * Serves a text that never changes in the coding that a request prefers, or 304. Each coding is made once, when it is first
 * asked for, and has a strong tag of its own (RFC 9110 section 8.8.3.3).
 */
export const represented = (text: string, standing: Readonly<Record<string, string>>) => {
  const compressed = new Map<Coding, Promise<Blob>>();
  const bodyOf = (coding: Coding): Promise<Blob> => {
    const made =
      compressed.get(coding) ?? COMPRESS[coding](text).then((bytes) => new Blob([new Uint8Array(bytes)]));
    compressed.set(coding, made);
    return made;
  };
  return async (given: Given): Promise<Response> => {
    const [coding] = acceptedCodings(given["accept-encoding"]);
    const etag = tagOf(`${coding ?? ""} ${text}`);
    const { "content-type": type = "", ...headers } = { ...standing, etag, vary: "Accept-Encoding" };
    if (isKnown(given, etag)) return unchanged(headers);
    if (!coding) return new Response(text, { headers: { ...headers, "content-type": type } });
    return new Response(await bodyOf(coding), {
      headers: { ...headers, "content-type": type, "content-encoding": coding },
    });
  };
};
