import { assertValid } from "../../http/validation.ts";
import { Fault } from "../../lib/errors.ts";
import { AddQuery } from "./model.ts";

/** A photo as a client sent it. */
export interface ReceivedPhoto {
  bytes: Uint8Array<ArrayBuffer>;
  alt: string;
  /** The same for a repeated request, whose form may have another boundary. */
  digest: string;
}

/** More parts would only take time. */
const MAX_PARTS = 10;

/** The parts of a form (RFC 7578). `Response.formData` would copy the photo, which stops the event loop for 100 ms. */
function* partsOf(
  body: Buffer<ArrayBuffer>,
  contentType: string,
): Generator<{ head: string; content: Buffer<ArrayBuffer> }> {
  const [, quoted, bare = ""] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const mark = `\r\n--${quoted ?? bare}`;
  // A body may begin with its first boundary, without a line break.
  let end = body.indexOf(mark.slice(2));
  for (let count = 0; end >= 0 && count < MAX_PARTS; count++) {
    const start = body.indexOf("\r\n", end + 1);
    const headEnd = body.indexOf("\r\n\r\n", start);
    end = body.indexOf(mark, headEnd);
    if (start < 0 || headEnd < 0 || end < 0) return;
    yield { head: body.toString("utf8", start, headEnd), content: body.subarray(headEnd + 4, end) };
  }
}

/** The file and the text of a form. @throws Fault invalid_request */
const readForm = (body: Buffer<ArrayBuffer>, contentType: string) => {
  const parts = [...partsOf(body, contentType)];
  const photos = parts.filter(({ head }) => /;\s*filename\*?=/i.test(head));
  const [photo] = photos;
  if (!photo || photos.length > 1)
    throw new Fault(
      "invalid_request",
      `The form has ${photos.length} files: send multipart/form-data with one photo in each request.`,
    );
  const alt = parts.find(({ head }) => /;\s*name="?alt"?(?:;|\r|$)/i.test(head));
  return { bytes: photo.content, alt: alt?.content.toString("utf8") };
};

/** Reads an upload from its file. @throws Fault invalid_request */
export const readUpload = async (
  path: string,
  { contentType, alt: given }: { contentType: string; alt: string | undefined },
): Promise<ReceivedPhoto> => {
  const body = Buffer.from(await Bun.file(path).arrayBuffer());
  const isForm = /^multipart\/form-data\b/i.test(contentType);
  const { bytes, alt = given ?? "" } = isForm ? readForm(body, contentType) : { bytes: body };
  assertValid(AddQuery, { alt });
  const hash = await crypto.subtle.digest("SHA-256", bytes);
  return { bytes, alt, digest: JSON.stringify([Buffer.from(hash).toString("hex"), alt]) };
};
