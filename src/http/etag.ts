import { Fault } from "../lib/errors.ts";

/** A strong entity tag of what an answer is made of. */
export const etagOf = (representation: string): string =>
  `"${new Bun.CryptoHasher("sha256").update(representation).digest("base64url").slice(0, 27)}"`;

/** RFC 9110 section 8.8.3: no quotes and no escapes within the quotes, but commas. */
const TAG = String.raw`(?:W/)?"[!\x23-\x7e\x80-\xff]*"`;
const TOKEN = new RegExp(`[ \\t,]+|${TAG}`, "y");

/** The entity tags of a list; undefined for what is none. */
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

/** An If-Match that `assertConditions` understands, as a regular expression. */
export const IF_MATCH_PATTERN = String.raw`^(?:[ \t]*\*[ \t]*|[ \t,]*${TAG}(?:[ \t]*,[ \t,]*${TAG})*[ \t,]*)$`;

const isAny = (header: string): boolean => /^[ \t]*\*[ \t]*$/.test(header);

/** True if an If-None-Match names the tag, compared weakly (RFC 9110 section 13.1.2); a malformed one names none. */
export const matchesEtag = (header: string, tag: string): boolean =>
  header === tag ||
  isAny(header) ||
  (parseEtags(header)?.some((one) => one.replace(/^W\//, "") === tag) ?? false);

/** True if an If-Match names the tag, compared strongly (RFC 9110 section 13.1.1); a malformed one names none. */
export const matchesEtagStrongly = (header: string, tag: string): boolean =>
  header === tag || isAny(header) || (parseEtags(header)?.includes(tag) ?? false);

/** The headers of a request as routes get them. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

/** True if a request says that it knows the answer of this tag. */
export const isNotModified = (headers: RequestHeaders, tag: string): boolean => {
  const known = headers["if-none-match"];
  return known !== undefined && matchesEtag(known, tag);
};

/** True if a request holds only for what has a certain tag, or has not; `If-Match: *` says no more than that it exists. */
export const isConditional = (headers: RequestHeaders): boolean => {
  const { "if-match": expected, "if-none-match": unexpected } = headers;
  return (expected !== undefined && !isAny(expected)) || unexpected !== undefined;
};

/**
 * Holds the conditions of a request that changes something against the tag of what it would change (RFC 9110 section 13.2).
 * @throws Fault precondition_failed; invalid_request for an If-Match that is none
 */
export const assertPreconditions = (headers: RequestHeaders, tag: string): void => {
  const expected = headers["if-match"];
  if (expected !== undefined && !isAny(expected)) {
    const tags = parseEtags(expected);
    if (!tags)
      throw new Fault(
        "invalid_request",
        'If-Match: must be * or entity tags in quotes, such as "x2b7", "k9Qz"',
      );
    // Compared strongly (section 13.1.1): a weak tag is nothing's.
    if (!tags.includes(tag)) throw new Fault("precondition_failed");
  }
  if (isNotModified(headers, tag))
    throw new Fault("precondition_failed", "It is what If-None-Match names, or exists at all.");
};

/**
 * What a request with conditions is about, as it is now: a change is made only if it is still so then.
 * @throws Fault precondition_failed, invalid_request, and what `find` throws
 */
export const findExpected = async <Value>(
  given: RequestHeaders,
  find: () => Promise<Value>,
  tagOfValue: (value: Value) => string,
): Promise<Value | undefined> => {
  if (!isConditional(given)) return undefined;
  const value = await find();
  assertPreconditions(given, tagOfValue(value));
  return value;
};

/** The answer with a representation and its tag, or 304 if that is what the request knows already. */
export const jsonWithEtag = (json: string, given: RequestHeaders): Response => {
  const headers = { etag: etagOf(json) };
  if (isNotModified(given, headers.etag)) return notModified(headers);
  return new Response(json, { headers: { ...headers, "content-type": "application/json" } });
};

/** The answer to who knows already what he asked for; `headers` are those that the whole answer would have for caches. */
export const notModified = (headers: Record<string, string> = {}): Response =>
  new Response(null, { status: 304, headers });
