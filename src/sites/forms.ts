import type { Stored } from "../deploys/blobs.ts";
import type { SiteFile } from "../deploys/manifest.ts";
import type { ContentCoding } from "../lib/accept.ts";

/** Asked for again each time, which a tag makes cheap. */
export const REVALIDATE = "public, max-age=0, must-revalidate";
const IMMUTABLE = "public, max-age=31536000, immutable";

/** One form of a file: as it is, or compressed. */
export interface Variant extends Stored {
  coding?: ContentCoding;
  /** Where in the blob it begins. */
  at: number;
  /** Strong: another form has another one (RFC 9110 section 8.8.3.3). */
  tag: string;
}

/** The form of the first coding that the file has. */
export const selectVariant = (file: SiteFile, codings: readonly ContentCoding[]): Variant => {
  const coding = codings.find((one) => file.encodings[one]);
  const stored = coding && file.encodings[coding];
  if (!stored) return { hash: file.hash, size: file.size, at: 0, tag: `"${file.hash}"` };
  return { ...stored, coding, tag: `"${file.hash}-${coding}"` };
};

export const variantHeaders = (file: SiteFile, { coding, tag }: Variant): Headers => {
  const headers = new Headers({
    "content-type": file.type,
    "cache-control": file.immutable ? IMMUTABLE : REVALIDATE,
    etag: tag,
    "accept-ranges": "bytes",
    "x-content-type-options": "nosniff",
  });
  if (coding) headers.set("content-encoding", coding);
  if (Object.keys(file.encodings).length > 0) headers.set("vary", "Accept-Encoding");
  return headers;
};
