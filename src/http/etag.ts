import { Fault, fieldFault } from "../lib/errors.ts";
import { KEYED, STANDING } from "./lifecycle.ts";

/** The strong entity tag of a representation. */
export const etagOf = (representation: string): string =>
  `"${Bun.SHA256.hash(representation, "base64url").slice(0, 27)}"`;

/** RFC 9110 section 8.8.3: within the quotes there are no quotes and no escapes, but there may be commas. */
const TAG = String.raw`(?:W/)?\x22[!\x23-\x7e\x80-\xff]*\x22`;
const TOKEN = new RegExp(`[ \\t,]+|${TAG}`, "y");

/** The entity tags in a header; undefined if it is malformed. */
const parseEtags = (header: string): string[] | undefined => {
  const tags: string[] = [];
  let isSeparated = true;
  TOKEN.lastIndex = 0;
  for (let at = 0; at < header.length; at = TOKEN.lastIndex) {
    const token = TOKEN.exec(header)?.[0];
    if (token === undefined) return undefined;
    if (!token.endsWith('"')) isSeparated ||= token.includes(",");
    else if (!isSeparated) return undefined;
    else {
      tags.push(token);
      isSeparated = false;
    }
  }
  return tags.length > 0 ? tags : undefined;
};

/** A valid If-Match header, as a regular expression. */
export const IF_MATCH_PATTERN = String.raw`^(?:[ \t]*\*[ \t]*|[ \t,]*${TAG}(?:[ \t]*,[ \t,]*${TAG})*[ \t,]*)$`;

/** True for `*`, which only requires that the resource exists. */
export const isAnyEtag = (header: string): boolean => /^[ \t]*\*[ \t]*$/.test(header);

/** True if an If-None-Match header has the tag, compared weakly (RFC 9110 section 13.1.2); false if it is malformed. */
export const matchesEtag = (header: string, tag: string): boolean =>
  header === tag ||
  isAnyEtag(header) ||
  (parseEtags(header)?.some((one) => one.replace(/^W\//, "") === tag) ?? false);

/** True if an If-Match header has the tag, compared strongly (RFC 9110 section 13.1.1); false if it is malformed. */
export const matchesEtagStrongly = (header: string, tag: string): boolean =>
  header === tag || isAnyEtag(header) || (parseEtags(header)?.includes(tag) ?? false);

/** The headers of a request as handlers get them. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

/** True if the client already has the representation with this tag. */
export const isNotModified = (headers: RequestHeaders, tag: string): boolean => {
  const ifNoneMatch = headers["if-none-match"];
  return ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, tag);
};

/**
 * Checks the preconditions of a request that changes a resource with this tag (RFC 9110 section 13.2).
 * @throws Fault precondition_failed; invalid_request for a malformed If-Match
 */
export const assertPreconditions = (headers: RequestHeaders, tag: string): void => {
  const expected = headers["if-match"];
  if (expected !== undefined && !isAnyEtag(expected)) {
    const tags = parseEtags(expected);
    if (!tags)
      throw fieldFault(
        "invalid_request",
        { field: "If-Match", rule: "format" },
        'If-Match: must be * or entity tags in quotes, such as "x2b7", "k9Qz"',
      );
    // A strong comparison (section 13.1.1): a weak tag never matches.
    if (!tags.includes(tag)) throw new Fault("precondition_failed");
  }
  if (isNotModified(headers, tag))
    throw new Fault("precondition_failed", "The resource matches If-None-Match.");
};

/**
 * A function that checks the preconditions of a request against the current value; undefined without any. Call it after the
 * checks of the request itself (RFC 9110 section 13.2.1), in the transaction of the change.
 */
export const preconditionOf = <Value>(
  headers: RequestHeaders,
  etagOfValue: (value: Value) => string,
): ((value: Value) => void) | undefined => {
  const { "if-match": expected = "*", "if-none-match": unexpected } = headers;
  // `If-Match: *` does not depend on the tag.
  return isAnyEtag(expected) && unexpected === undefined
    ? undefined
    : (value) => assertPreconditions(headers, etagOfValue(value));
};

/**
 * Checks the preconditions of a request against the current value, and returns that value; undefined without any. The
 * caller must check in its transaction that the value is still the same.
 * @throws Fault precondition_failed, invalid_request, and the errors of `find`
 */
export const findExpected = async <Value>(
  headers: RequestHeaders,
  find: () => Value | Promise<Value>,
  etagOfValue: (value: Value) => string,
): Promise<Value | undefined> => {
  const expect = preconditionOf(headers, etagOfValue);
  if (!expect) return undefined;
  const value = await find();
  expect(value);
  return value;
};

/** The headers of responses to a valid key. Copying them takes a third of the time that an object's take. */
const KEYED_HEADERS = new Headers({ ...STANDING, ...KEYED });
const JSON_HEADERS = new Headers({ ...STANDING, ...KEYED, "content-type": "application/json" });

const withEtag = (response: Response, etag: string): Response => {
  response.headers.set("etag", etag);
  return response;
};

/** The response to a valid key whose client does not have this JSON yet. */
export const keyedJson = (json: string | Blob, etag: string): Response =>
  withEtag(new Response(json, { headers: JSON_HEADERS }), etag);

/** The response to a valid key whose client has the representation with this tag. */
export const keyedNotModified = (etag: string): Response =>
  withEtag(new Response(null, { status: 304, headers: KEYED_HEADERS }), etag);

/** A JSON response to a valid key with its ETag, or 304 if the client already has it. */
export const jsonWithEtag = (json: string, request: RequestHeaders): Response => {
  const etag = etagOf(json);
  return isNotModified(request, etag) ? keyedNotModified(etag) : keyedJson(json, etag);
};

/** 304 Not Modified. `headers` are those of the full response that caches need. */
export const notModified = (headers: Record<string, string> = {}): Response =>
  new Response(null, { status: 304, headers });
