import type { Stored } from "../deploys/blobs.ts";
import type { SiteFile } from "../deploys/manifest.ts";
import { type ContentCoding, acceptedCodings, prefersMarkdown } from "../lib/accept.ts";
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

/** A file as it is served at an address. */
export interface ServedFile extends SiteFile {
  /** Headers that belong to the address. */
  headers?: Readonly<Record<string, string>>;
}

/** The file in the first of these codings that it is stored in, or uncompressed. */
export const selectRepresentation = (file: SiteFile, codings: readonly ContentCoding[]): Representation => {
  const coding = codings.find((one) => file.encodings[one]);
  const encoded = coding && file.encodings[coding];
  if (!encoded) return { hash: file.hash, size: file.size, at: 0, etag: `"${file.hash}"` };
  return { ...encoded, coding, etag: `"${file.hash}-${coding}"` };
};

export const representationHeaders = (file: ServedFile, { coding, etag }: Representation): Headers => {
  const headers = new Headers({
    "content-type": file.type,
    "cache-control": file.immutable ? IMMUTABLE : REVALIDATE,
    etag,
    "accept-ranges": "bytes",
    "x-content-type-options": "nosniff",
  });
  if (coding) headers.set("content-encoding", coding);
  if (Object.keys(file.encodings).length > 0) headers.set("vary", "Accept-Encoding");
  if (file.headers) for (const [name, value] of Object.entries(file.headers)) headers.append(name, value);
  return headers;
};

/** What a client accepts. */
export interface Accepted {
  codings: readonly ContentCoding[];
  /** True if it prefers Markdown to HTML. */
  wantsMarkdown: boolean;
  /** The same as text: requests with the same meaning share a cached response. */
  key: string;
}

/** Browsers send few different headers. A longer one is parsed each time. */
const MAX_HEADERS = 500;
const MAX_HEADER_LENGTH = 200;

/** Caches what `parse` makes of a header: parsing what browsers send takes 3 µs. */
const cachedReader = <Value>(parse: (header: string | null) => Value) => {
  const parsed = lruCache<string | null, Value>({ maxEntries: MAX_HEADERS });
  return (header: string | null): Value => {
    const cached = parsed.get(header);
    if (cached !== undefined) return cached;
    const value = parse(header);
    if (header === null || header.length <= MAX_HEADER_LENGTH) parsed.set(header, value);
    return value;
  };
};

/** Reads what a client accepts. */
export const acceptReader = () => {
  const readCodings = cachedReader((header): Accepted => {
    const codings = acceptedCodings(header);
    return { codings, wantsMarkdown: false, key: codings.join(",") };
  });
  const readMarkdown = cachedReader((header) => prefersMarkdown(header ?? undefined));

  /** @param hasMarkdown false: the site has only HTML, and Accept does not matter */
  return (headers: Headers, hasMarkdown: boolean): Accepted => {
    const accepted = readCodings(headers.get("accept-encoding"));
    return hasMarkdown && readMarkdown(headers.get("accept"))
      ? { ...accepted, wantsMarkdown: true, key: `${accepted.key},md` }
      : accepted;
  };
};
