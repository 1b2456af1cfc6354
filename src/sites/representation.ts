import type { Stored } from "../deploys/blobs.ts";
import type { SiteFile } from "../deploys/manifest.ts";
import { type ContentCoding, acceptedCodings } from "../lib/accept.ts";
import { lruCache } from "../lib/lru.ts";

/** Clients revalidate each time, which an ETag makes cheap. */
export const REVALIDATE = "public, max-age=0, must-revalidate";
const IMMUTABLE = "public, max-age=31536000, immutable";

/** A file in one content coding, or in none. */
export interface Representation extends Stored {
  coding?: ContentCoding;
  /** Where it begins in the blob. */
  at: number;
  /** A strong ETag: each representation has its own (RFC 9110 section 8.8.3.3). */
  etag: string;
}

/** The file in the first of these codings that it is stored in, or uncompressed. */
export const selectRepresentation = (file: SiteFile, codings: readonly ContentCoding[]): Representation => {
  const coding = codings.find((one) => file.encodings[one]);
  const encoded = coding && file.encodings[coding];
  if (!encoded) return { hash: file.hash, size: file.size, at: 0, etag: `"${file.hash}"` };
  return { ...encoded, coding, etag: `"${file.hash}-${coding}"` };
};

export const representationHeaders = (file: SiteFile, { coding, etag }: Representation): Headers => {
  const headers = new Headers({
    "content-type": file.type,
    "cache-control": file.immutable ? IMMUTABLE : REVALIDATE,
    etag,
    "accept-ranges": "bytes",
    "x-content-type-options": "nosniff",
  });
  if (coding) headers.set("content-encoding", coding);
  if (Object.keys(file.encodings).length > 0) headers.set("vary", "Accept-Encoding");
  return headers;
};

/** The codings of an Accept-Encoding header. */
export interface Accepted {
  codings: readonly ContentCoding[];
  /** The codings as text: headers with the same meaning share a cached response. */
  key: string;
}

/** Browsers send few different headers. A longer one is parsed each time. */
const MAX_HEADERS = 500;
const MAX_HEADER_LENGTH = 200;

/** Caches parsed Accept-Encoding headers: parsing what browsers send takes 3 µs. */
export const acceptEncodingReader = () => {
  const parsed = lruCache<string | null, Accepted>({ maxEntries: MAX_HEADERS });
  return (header: string | null): Accepted => {
    const cached = parsed.get(header);
    if (cached) return cached;
    const codings = acceptedCodings(header);
    const accepted = { codings, key: codings.join(",") };
    if (header === null || header.length <= MAX_HEADER_LENGTH) parsed.set(header, accepted);
    return accepted;
  };
};
