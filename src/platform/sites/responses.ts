import { contentProblem, sizeProblem } from "../deploys/blob-check.ts";
import type { BlobSource, Stored } from "../deploys/blobs.ts";
import { type SiteFile, blobSizes } from "../deploys/manifest.ts";
import { type StoredStage, awaitsCertificate } from "../domains/stage.ts";
import { matchesEtag, matchesEtagStrongly } from "../../http/etag.ts";
import { STANDING } from "../../http/lifecycle.ts";
import { plainResponse } from "../../http/html-page.ts";
import { type ContentCoding, acceptedCodings, prefersMarkdown } from "../../lib/accept.ts";
import { lruCache } from "../../lib/lru.ts";
import { type Range, readRange } from "./range.ts";
import type { UnservedDomain } from "./repository.ts";

/** Clients revalidate each time, which an ETag makes cheap. */
export const REVALIDATE = "public, max-age=0, must-revalidate";
const IMMUTABLE = "public, max-age=31536000, immutable";

/** A file in one content coding, or in none. */
export interface Representation extends Stored {
  coding?: ContentCoding;
  /** Its start in the blob. */
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

const representationHeaders = (file: ServedFile, { coding, etag }: Representation): Headers => {
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

/** The encodings and media types that a client accepts. */
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

/** Reads the headers of a request into `Accepted`. */
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

/**
 * Checks a blob's size and returns its path: an error while the body is sent could not be reported. @throws as `repair` does
 */
const checkedPath = async (
  { pathOf, damage, repair }: BlobSource,
  file: SiteFile,
  hash: string,
): Promise<string> => {
  const path = pathOf(hash);
  const problem = damage.problemOf(hash) ?? (await sizeProblem(path, blobSizes(file).get(hash) ?? 0));
  if (problem !== undefined) await repair(hash, problem);
  return path;
};

/** The content of a blob of a file. @throws as `repair` does */
export const readChecked = async (blobs: BlobSource, file: SiteFile, hash: string): Promise<Uint8Array> => {
  const path = await checkedPath(blobs, file, hash);
  const bytes = await Bun.file(path).bytes();
  const problem = contentProblem(bytes, hash);
  if (problem === undefined) return bytes;
  await blobs.repair(hash, problem);
  return Bun.file(path).bytes();
};

/** A response that does not come from a file of the site. */
export const textResponse = (status: number, text: string, headers: Record<string, string> = {}): Response =>
  new Response(text, {
    status,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": REVALIDATE,
      "x-content-type-options": "nosniff",
      ...headers,
    },
  });

/** A redirect within a site, or by its rules. The default is permanent, with the same method. */
export const redirectResponse = (location: string, status = 308): Response =>
  new Response(null, {
    status,
    headers: { location, "cache-control": REVALIDATE, "x-content-type-options": "nosniff" },
  });

/** The same response without its body, but with its length. */
export const headResponse = (response: Response, size: number): Response => {
  const headers = new Headers(response.headers);
  headers.set("content-length", String(size));
  return new Response(null, { status: response.status, headers });
};

/** RFC 9110 section 15.4.5. */
const notModified = (file: ServedFile, representation: Representation): Response => {
  const headers = representationHeaders(file, representation);
  for (const name of ["content-type", "content-encoding", "accept-ranges"]) headers.delete(name);
  return new Response(null, { status: 304, headers });
};

const CHANGED_TEXT = "The file is no longer the one that If-Match names: fetch it again.\n";

const preconditionFailed = (method: string): Response =>
  method === "HEAD"
    ? headResponse(textResponse(412, ""), CHANGED_TEXT.length)
    : textResponse(412, CHANGED_TEXT);

interface ConditionalRequest {
  method: string;
  headers: Headers;
  inParts: boolean;
}

/** Two HTTP/2 frames of the default size (RFC 9113 section 6.5.2). */
const PART_BYTES = 32 * 1024;

async function* partsOf(file: Blob): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += PART_BYTES) yield file.slice(at, at + PART_BYTES).bytes();
}

/** The body of a part of a file. Bun reads a file ahead, and keeps it open for as long as the response is unread. */
const bodyOf = (file: Blob, inParts: boolean): Blob | AsyncIterable<Uint8Array> =>
  inParts ? partsOf(file) : file;

/** The range that a request asks for; undefined if it gets the whole file. */
const rangeOf = ({ method, headers }: ConditionalRequest, file: SiteFile): ReturnType<typeof readRange> => {
  const range = headers.get("range");
  const ifRange = headers.get("if-range");
  if (method !== "GET" || range === null) return undefined;
  if (ifRange !== null && ifRange !== selectRepresentation(file, []).etag) return undefined;
  return readRange(range, file.size);
};

/** A range of the uncompressed file. */
const partialResponse = async (
  range: Range | "unsatisfiable",
  file: ServedFile,
  inParts: boolean,
  blobs: BlobSource,
): Promise<Response> => {
  if (range === "unsatisfiable")
    return textResponse(416, "The range lies outside the file.\n", {
      "content-range": `bytes */${file.size}`,
    });
  const headers = representationHeaders(file, selectRepresentation(file, []));
  const [first, last] = range;
  headers.set("content-range", `bytes ${first}-${last}/${file.size}`);
  headers.set("content-length", String(last - first + 1));
  const source = Bun.file(await checkedPath(blobs, file, file.hash));
  return new Response(bodyOf(source.slice(first, last + 1), inParts), { status: 206, headers });
};

/**
 * The response to a request with conditions or a range; undefined if it gets the whole file. RFC 9110 section 13.2.2: 412 comes
 * before 304, and 304 before 206 and 416. Files have no dates, so If-Unmodified-Since and If-Modified-Since are ignored.
 */
export const conditionalResponse = async (
  request: ConditionalRequest,
  file: ServedFile,
  representation: Representation,
  blobs: BlobSource,
): Promise<Response | undefined> => {
  const { method, headers } = request;
  const range = rangeOf(request, file);
  const ifMatch = headers.get("if-match");
  // A range is always one of the uncompressed file, regardless of the codings that the client accepts.
  const { etag } = range === undefined ? representation : selectRepresentation(file, []);
  if (ifMatch !== null && !matchesEtagStrongly(ifMatch, etag)) return preconditionFailed(method);
  const ifNoneMatch = headers.get("if-none-match");
  if (ifNoneMatch !== null && matchesEtag(ifNoneMatch, representation.etag))
    return notModified(file, representation);
  return range === undefined ? undefined : partialResponse(range, file, request.inParts, blobs);
};

/** Bodies up to this size are read into memory, and may be cached there. */
export const MAX_BYTES_IN_MEMORY = 64 * 1024;

export const fullResponse = async (
  file: ServedFile,
  representation: Representation,
  { status, inParts }: { status: 200 | 404; inParts: boolean },
  blobs: BlobSource,
): Promise<Response> => {
  const headers = representationHeaders(file, representation);
  if (status !== 200) headers.set("cache-control", REVALIDATE);
  const { hash, at, size } = representation;
  if (size > MAX_BYTES_IN_MEMORY) {
    const source = Bun.file(await checkedPath(blobs, file, hash)).slice(at, at + size);
    if (inParts) headers.set("content-length", String(size));
    return new Response(bodyOf(source, inParts), { status, headers });
  }
  const bytes = (await readChecked(blobs, file, hash)).slice(at, at + size);
  // Clones of a response share the bytes of a Blob.
  return new Response(new Blob([bytes], { type: file.type }), { status, headers });
};

/** The text for visitors: the end of the heading, and a paragraph. */
const wordsFor = (stage: StoredStage): readonly [state: string, text: string] => {
  if (stage === "suspended")
    return ["is suspended", "If this is your site, your project's settings show the reason."];
  if (awaitsCertificate(stage) && stage !== "issue_failed")
    return ["is nearly ready", "It is waiting for its certificate. Reload the page in a couple of minutes."];
  return ["is not ready yet", "If this is your site, your project's settings show what to do."];
};

/**
 * The page of a custom domain that does not show its site now. 503 (RFC 9110 section 15.6.4), because the site will return: after
 * 404 or 410, search engines would drop it. A parsed name holds letters, digits, dots, hyphens and underscores.
 */
export const unservedPage = ({ hostname, stage }: UnservedDomain): Response => {
  const [state, text] = wordsFor(stage);
  const title = `${hostname} ${state}`;
  return plainResponse(503, title, `<h1>${title}</h1>\n<p>${text}</p>`, {
    ...STANDING,
    "x-robots-tag": "noindex",
    ...(stage !== "suspended" && { "retry-after": "60" }),
  });
};
