import type { Blobs } from "../deploys/blobs.ts";
import type { SiteFile } from "../deploys/manifest.ts";
import { type Form, MUST_ASK, formOf, headersOf } from "./forms.ts";
import { readRange } from "./negotiate.ts";
import { matchesTag } from "../http/tags.ts";

/** The path of a blob that is there. @throws the system's error if it is not: a body that fails later tells nobody. */
const presentPath = async (blobs: Pick<Blobs, "pathOf">, hash: string): Promise<string> => {
  const path = blobs.pathOf(hash);
  await Bun.file(path).stat();
  return path;
};

/** A page of a site's own is not there. */
export const plain = (status: number, text: string, headers: Record<string, string> = {}): Response =>
  new Response(text, {
    status,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": MUST_ASK,
      "x-content-type-options": "nosniff",
      ...headers,
    },
  });

/** To the one address of a page, for good and with the same method. */
export const moved = (location: string): Response =>
  new Response(null, {
    status: 308,
    headers: { location, "cache-control": MUST_ASK, "x-content-type-options": "nosniff" },
  });

/** Without its body, but with its length. */
export const headOf = (answer: Response, size: number): Response => {
  const headers = new Headers(answer.headers);
  headers.set("content-length", String(size));
  return new Response(null, { status: answer.status, headers });
};

/** The client has this form already (RFC 9110 section 15.4.5). */
export const unchanged = (file: SiteFile, form: Form): Response => {
  const headers = headersOf(file, form);
  for (const name of ["content-type", "content-encoding", "accept-ranges"]) headers.delete(name);
  return new Response(null, { status: 304, headers });
};

/** The part of the file as it is that a Range header asks for; undefined if the header is to be ignored. */
const partOf = async (
  header: string,
  file: SiteFile,
  blobs: Pick<Blobs, "pathOf">,
): Promise<Response | undefined> => {
  const range = readRange(header, file.size);
  if (range === undefined) return undefined;
  if (range === "none")
    return plain(416, "The range lies outside the file.\n", { "content-range": `bytes */${file.size}` });
  const headers = headersOf(file, formOf(file, []));
  const [first, last] = range;
  headers.set("content-range", `bytes ${first}-${last}/${file.size}`);
  headers.set("content-length", String(last - first + 1));
  const source = Bun.file(await presentPath(blobs, file.hash));
  return new Response(source.slice(first, last + 1), { status: 206, headers });
};

/** What a request asks besides the file itself. */
export interface Conditions {
  method: string;
  headers: Headers;
}

/**
 * The answer that does not have the whole body, if the request asks for one: 304 before 206 and 416 (RFC 9110 section
 * 13.2.2).
 */
export const conditional = async (
  { method, headers }: Conditions,
  file: SiteFile,
  form: Form,
  blobs: Pick<Blobs, "pathOf">,
): Promise<Response | undefined> => {
  const known = headers.get("if-none-match");
  if (known !== null && matchesTag(known, form.tag)) return unchanged(file, form);
  const range = headers.get("range");
  const since = headers.get("if-range");
  if (method !== "GET" || range === null || (since !== null && since !== `"${file.hash}"`)) return undefined;
  return partOf(range, file, blobs);
};

/** Bodies up to this size are read into memory, where they may be kept. */
export const MOST_KEPT = 64 * 1024;

/** The whole of one form. */
export const whole = async (
  file: SiteFile,
  form: Form,
  status: 200 | 404,
  blobs: Pick<Blobs, "pathOf">,
): Promise<Response> => {
  const headers = headersOf(file, form);
  if (status !== 200) headers.set("cache-control", MUST_ASK);
  const { at, size } = form;
  const source = Bun.file(await presentPath(blobs, form.hash)).slice(at, at + size);
  if (size > MOST_KEPT) return new Response(source, { status, headers });
  // A Blob's bytes are shared by the clones of a response.
  return new Response(new Blob([await source.bytes()], { type: file.type }), { status, headers });
};
