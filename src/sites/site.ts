import { find, readAddress } from "./address.ts";
import type { Blobs, Stored } from "../deploys/blobs.ts";
import type { KeptAnswers } from "./kept.ts";
import type { Manifest, SiteFile } from "../deploys/manifest.ts";
import { acceptedCodings, matchesTag, readRange } from "./negotiate.ts";
import type { Coding } from "../deploys/variants.ts";

/** What a site is asked. */
export interface SiteRequest {
  method: string;
  /** The path as it was sent, percent-encoded, without the query. */
  path: string;
  /** With its question mark, or empty. */
  query: string;
  headers: Headers;
}

export interface Site {
  answer(request: SiteRequest): Response | Promise<Response>;
}

/** Bodies up to this size are kept in memory. */
const MOST_KEPT = 64 * 1024;
const NOT_FOUND_PAGE = "404.html";
const MUST_ASK = "public, max-age=0, must-revalidate";
const FOR_EVER = "public, max-age=31536000, immutable";

/** One form of a file: as it is, or compressed. */
interface Form extends Stored {
  coding?: Coding;
  tag: string;
}

const formOf = (file: SiteFile, codings: Coding[]): Form => {
  const coding = codings.find((one) => file.encodings[one]);
  const stored = coding && file.encodings[coding];
  if (!stored) return { hash: file.hash, size: file.size, tag: `"${file.hash}"` };
  return { ...stored, coding, tag: `"${file.hash}-${coding}"` };
};

const headersOf = (file: SiteFile, { coding, tag }: Form): Headers => {
  const headers = new Headers({
    "content-type": file.type,
    "cache-control": file.immutable ? FOR_EVER : MUST_ASK,
    etag: tag,
    "accept-ranges": "bytes",
    "x-content-type-options": "nosniff",
  });
  if (coding) headers.set("content-encoding", coding);
  if (Object.keys(file.encodings).length > 0) headers.set("vary", "Accept-Encoding");
  return headers;
};

const plain = (status: number, text: string, headers: Record<string, string> = {}): Response =>
  new Response(text, {
    status,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": MUST_ASK,
      "x-content-type-options": "nosniff",
      ...headers,
    },
  });

const redirect = (location: string): Response =>
  new Response(null, {
    status: 308,
    headers: { location, "cache-control": MUST_ASK, "x-content-type-options": "nosniff" },
  });

/** Without its body, but with its length. */
const headOf = (answer: Response, size: number): Response => {
  const headers = new Headers(answer.headers);
  headers.set("content-length", String(size));
  return new Response(null, { status: answer.status, headers });
};

const rangeAnswer = (header: string, file: SiteFile, blobs: Blobs): Response | undefined => {
  const form = formOf(file, []);
  const range = readRange(header, file.size);
  if (range === undefined) return undefined;
  if (range === "none")
    return plain(416, "The range lies outside the file.\n", { "content-range": `bytes */${file.size}` });
  const headers = headersOf(file, form);
  const [first, last] = range;
  headers.set("content-range", `bytes ${first}-${last}/${file.size}`);
  headers.set("content-length", String(last - first + 1));
  return new Response(Bun.file(blobs.pathOf(file.hash)).slice(first, last + 1), { status: 206, headers });
};

/** The answer that needs no body: 304 (RFC 9110 section 13.2.2), or a part, or that there is no such part. */
const conditional = ({ method, headers }: SiteRequest, file: SiteFile, form: Form, blobs: Blobs) => {
  const known = headers.get("if-none-match");
  if (known !== null && matchesTag(known, form.tag)) {
    const kept = headersOf(file, form);
    for (const name of ["content-type", "content-encoding", "accept-ranges"]) kept.delete(name);
    return new Response(null, { status: 304, headers: kept });
  }
  const range = headers.get("range");
  const since = headers.get("if-range");
  if (method !== "GET" || range === null || (since !== null && since !== `"${file.hash}"`)) return undefined;
  return rangeAnswer(range, file, blobs);
};

/**
 * Serves one deploy. Addresses are clean (see `find`); a path that no file has is answered with the site's own `404.html`;
 * there are no listings, and no file whose name begins with a dot but `.well-known/`. Whole answers of small files are kept
 * in `kept` under `name`, which must be this deploy's own.
 */
export const siteOf = ({
  name,
  manifest,
  blobs,
  kept,
}: {
  name: string;
  manifest: Manifest;
  blobs: Blobs;
  kept: KeptAnswers;
}): Site => {
  // Names are found in either normalisation: archives made on macOS have the decomposed one.
  const files: Manifest = new Map([...manifest].map(([path, file]) => [path.normalize("NFC"), file]));

  const whole = async (file: SiteFile, form: Form, status: number): Promise<Response> => {
    const source = Bun.file(blobs.pathOf(form.hash));
    const headers = headersOf(file, form);
    if (status !== 200) headers.set("cache-control", MUST_ASK);
    if (form.size > MOST_KEPT) return new Response(source, { status, headers });
    // A Blob's bytes are shared by the clones of a response.
    return new Response(new Blob([await source.bytes()], { type: file.type }), { status, headers });
  };

  const notFound = async (codings: Coding[]): Promise<[Response, number]> => {
    const text = "There is nothing at this address.\n";
    const page = files.get(NOT_FOUND_PAGE);
    if (!page) return [plain(404, text), text.length];
    const form = formOf(page, codings);
    return [await whole(page, form, 404), form.size];
  };

  const make = async (request: SiteRequest, keptName: string): Promise<Response> => {
    const path = readAddress(request.path);
    if (path === undefined) return plain(400, "This address is not a valid one.\n");
    const codings = acceptedCodings(request.headers.get("accept-encoding"));
    const isHead = request.method === "HEAD";
    const found = find(path, files);
    if (found && "location" in found) return redirect(found.location + request.query);
    if (!found || found.path === NOT_FOUND_PAGE) {
      const [answer, size] = await notFound(codings);
      return isHead ? headOf(answer, size) : answer;
    }
    const form = formOf(found.file, codings);
    const other = conditional(request, found.file, form, blobs);
    if (other) return other;
    const answer = await whole(found.file, form, 200);
    if (isHead) return headOf(answer, form.size);
    if (form.size > MOST_KEPT) return answer;
    kept.keep(keptName, answer, form.size);
    return answer.clone() as Response;
  };

  return {
    answer(request) {
      const { method, path, headers } = request;
      if (method !== "GET" && method !== "HEAD")
        return plain(405, "Sites are read with GET and HEAD.\n", { allow: "GET, HEAD" });
      const keptName = `${name} ${headers.get("accept-encoding") ?? ""} ${path}`;
      const isWhole =
        method === "GET" && headers.get("range") === null && headers.get("if-none-match") === null;
      const known = isWhole ? kept.get(keptName) : undefined;
      return known ? (known.clone() as Response) : make(request, keptName);
    },
  };
};
