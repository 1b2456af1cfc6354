import { resolvePath, decodePath } from "./paths.ts";
import {
  MAX_KEPT,
  conditional,
  headResponse,
  redirectResponse,
  textResponse,
  fullResponse,
} from "./responses.ts";
import type { Blobs } from "../deploys/blobs.ts";
import { type Variant, selectVariant } from "./forms.ts";
import type { KeptAnswers } from "./kept.ts";
import type { Manifest, SiteFile } from "../deploys/manifest.ts";
import { type Accepted, acceptedReader } from "./negotiate.ts";

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
  /** @throws (or rejects with) BlobDamaged or the system's error if a file of the site cannot be read */
  answer(request: SiteRequest): Response | Promise<Response>;
}

export interface SiteSettings {
  /** This deploy's own, among all that share `kept`. */
  name: string;
  manifest: Manifest;
  blobs: Pick<Blobs, "pathOf" | "damage">;
  kept: KeptAnswers;
}

const NOT_FOUND_PAGE = "404.html";
const NOT_FOUND_TEXT = "There is nothing at this address.\n";

const readAccepted = acceptedReader();

const CONDITIONS = ["if-match", "if-none-match", "range"] as const;

/** True if the request is for a whole answer, whatever the client has already. */
const wantsWhole = ({ method, headers }: SiteRequest): boolean =>
  method === "GET" && CONDITIONS.every((name) => headers.get(name) === null);

/**
 * Serves one deploy. Addresses are clean (see `find`); a path that no file has is answered with the site's own `404.html`;
 * there are no listings, and no file whose name begins with a dot but `.well-known/`. Whole answers of small files are
 * kept, ready to be cloned.
 */
export const openSite = ({ name, manifest, blobs, kept }: SiteSettings): Site => {
  // Names are found in either normalisation: archives made on macOS have the decomposed one.
  const files: Manifest = new Map([...manifest].map(([path, file]) => [path.normalize("NFC"), file]));

  const remember = (keptName: string, answer: Response, form: Variant): Response => {
    if (form.size > MAX_KEPT) return answer;
    kept.keep(keptName, answer, form.size);
    return answer.clone() as Response;
  };

  const found = async (
    request: SiteRequest,
    file: SiteFile,
    { codings }: Accepted,
    keptName: string,
  ): Promise<Response> => {
    const form = selectVariant(file, codings);
    const other = await conditional(request, file, form, blobs);
    if (other) return other;
    const answer = await fullResponse(file, form, 200, blobs);
    return request.method === "HEAD" ? headResponse(answer, form.size) : remember(keptName, answer, form);
  };

  const notFound = async (
    { method }: SiteRequest,
    { codings, name: accepted }: Accepted,
  ): Promise<Response> => {
    const page = files.get(NOT_FOUND_PAGE);
    const isHead = method === "HEAD";
    if (!page)
      return isHead
        ? headResponse(textResponse(404, ""), NOT_FOUND_TEXT.length)
        : textResponse(404, NOT_FOUND_TEXT);
    // One for all paths: no path has a space.
    const keptName = `${name} ${accepted}  404`;
    const known = kept.get(keptName);
    const form = selectVariant(page, codings);
    const answer = known
      ? (known.clone() as Response)
      : remember(keptName, await fullResponse(page, form, 404, blobs), form);
    return isHead ? headResponse(answer, form.size) : answer;
  };

  const make = (request: SiteRequest, accepted: Accepted, keptName: string): Response | Promise<Response> => {
    const path = decodePath(request.path);
    if (path === undefined) return textResponse(400, "This address is not a valid one.\n");
    const there = resolvePath(path, files);
    if (!there) return notFound(request, accepted);
    if ("location" in there) return redirectResponse(there.location + request.query);
    return there.path === NOT_FOUND_PAGE
      ? notFound(request, accepted)
      : found(request, there.file, accepted, keptName);
  };

  return {
    answer(request) {
      const { method, path, headers } = request;
      if (method !== "GET" && method !== "HEAD")
        return textResponse(405, "Sites are read with GET and HEAD.\n", { allow: "GET, HEAD" });
      const accepted = readAccepted(headers.get("accept-encoding"));
      const keptName = `${name} ${accepted.name} ${path}`;
      const known = wantsWhole(request) ? kept.get(keptName) : undefined;
      return known ? (known.clone() as Response) : make(request, accepted, keptName);
    },
  };
};
