import type { Blobs } from "../deploys/blobs.ts";
import { type SiteFile, blobSizes } from "../deploys/manifest.ts";
import { sizeProblem } from "../deploys/blob-check.ts";
import { type Variant, REVALIDATE, selectVariant, variantHeaders } from "./forms.ts";
import { type Range, readRange } from "./negotiate.ts";
import { matchesEtagStrongly, matchesEtag } from "../http/etag.ts";

type Source = Pick<Blobs, "pathOf" | "damage">;

/** The path of a blob of this file, once its size was checked: a failure while the body is sent could not be reported. @throws BlobDamaged */
const checkedPath = async ({ pathOf, damage }: Source, file: SiteFile, hash: string): Promise<string> => {
  const path = pathOf(hash);
  if (damage.has(hash)) throw damage.add(hash, "");
  const problem = await sizeProblem(path, blobSizes(file).get(hash) ?? 0);
  if (problem !== undefined) throw damage.add(hash, problem);
  return path;
};

/** The content of a blob. @throws BlobDamaged */
const readChecked = async (blobs: Source, file: SiteFile, hash: string): Promise<Uint8Array> => {
  const bytes = await Bun.file(await checkedPath(blobs, file, hash)).bytes();
  if (Bun.SHA256.hash(bytes, "hex") !== hash)
    throw blobs.damage.add(hash, "has other content than was stored");
  return bytes;
};

/** A page of a site's own is not there. */
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

/** To the one address of a page, for good and with the same method. */
export const redirectResponse = (location: string): Response =>
  new Response(null, {
    status: 308,
    headers: { location, "cache-control": REVALIDATE, "x-content-type-options": "nosniff" },
  });

/** Without its body, but with its length. */
export const headResponse = (answer: Response, size: number): Response => {
  const headers = new Headers(answer.headers);
  headers.set("content-length", String(size));
  return new Response(null, { status: answer.status, headers });
};

/** The client has this form already (RFC 9110 section 15.4.5). */
export const notModified = (file: SiteFile, form: Variant): Response => {
  const headers = variantHeaders(file, form);
  for (const name of ["content-type", "content-encoding", "accept-ranges"]) headers.delete(name);
  return new Response(null, { status: 304, headers });
};

/** What a request asks besides the file itself. */
export interface Conditions {
  method: string;
  headers: Headers;
}

/** The range that a request asks for; undefined if it is to have the whole file. */
const rangeOf = ({ method, headers }: Conditions, file: SiteFile): Range | "none" | undefined => {
  const range = headers.get("range");
  const since = headers.get("if-range");
  if (method !== "GET" || range === null || (since !== null && since !== selectVariant(file, []).tag))
    return undefined;
  return readRange(range, file.size);
};

/** A range of the file as it is. */
const partOf = async (range: Range | "none", file: SiteFile, blobs: Source): Promise<Response> => {
  if (range === "none")
    return textResponse(416, "The range lies outside the file.\n", {
      "content-range": `bytes */${file.size}`,
    });
  const headers = variantHeaders(file, selectVariant(file, []));
  const [first, last] = range;
  headers.set("content-range", `bytes ${first}-${last}/${file.size}`);
  headers.set("content-length", String(last - first + 1));
  const source = Bun.file(await checkedPath(blobs, file, file.hash));
  return new Response(source.slice(first, last + 1), { status: 206, headers });
};

const CHANGED_TEXT = "The file is no longer the one that If-Match names: fetch it again.\n";

const changed = (method: string): Response =>
  method === "HEAD"
    ? headResponse(textResponse(412, ""), CHANGED_TEXT.length)
    : textResponse(412, CHANGED_TEXT);

/**
 * The answer that does not have the whole body, if the request asks for one: 412 before 304, and that before 206 and 416
 * (RFC 9110 section 13.2.2). Files have no dates, so If-Unmodified-Since and If-Modified-Since are ignored.
 */
export const conditional = async (
  request: Conditions,
  file: SiteFile,
  form: Variant,
  blobs: Source,
): Promise<Response | undefined> => {
  const { method, headers } = request;
  const range = rangeOf(request, file);
  const expected = headers.get("if-match");
  // A range is always one of the file as it is, whatever codings the client accepts.
  const { tag } = range === undefined ? form : selectVariant(file, []);
  if (expected !== null && !matchesEtagStrongly(expected, tag)) return changed(method);
  const known = headers.get("if-none-match");
  if (known !== null && matchesEtag(known, form.tag)) return notModified(file, form);
  return range === undefined ? undefined : partOf(range, file, blobs);
};

/** Bodies up to this size are read into memory, where they may be kept. */
export const MAX_KEPT = 64 * 1024;

/** The whole of one form. */
export const fullResponse = async (
  file: SiteFile,
  form: Variant,
  status: 200 | 404,
  blobs: Source,
): Promise<Response> => {
  const headers = variantHeaders(file, form);
  if (status !== 200) headers.set("cache-control", REVALIDATE);
  const { at, size } = form;
  if (size > MAX_KEPT) {
    const source = Bun.file(await checkedPath(blobs, file, form.hash)).slice(at, at + size);
    return new Response(source, { status, headers });
  }
  const bytes = (await readChecked(blobs, file, form.hash)).slice(at, at + size);
  // A Blob's bytes are shared by the clones of a response.
  return new Response(new Blob([bytes], { type: file.type }), { status, headers });
};
