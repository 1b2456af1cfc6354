import { IDEMPOTENCY_KEY_PATTERN, MAX_IDEMPOTENCY_KEY_HEADER } from "../../http/idempotency.ts";
import { IF_MATCH_PATTERN } from "../../http/etag.ts";
import type { Json } from "./schemas.ts";

/** A header with text, and an example of it. */
const header = (description: string, example: string, keywords: Json = {}) => ({
  description,
  schema: { type: "string", ...keywords, examples: [example] },
});

/** Every header that a response may carry. */
export const HEADERS: Record<string, ReturnType<typeof header>> = {
  "X-Request-Id": header(
    "The id of the request: the one that the client sent, if it is valid, or a new one.",
    "4f5c1b9e-8a70-4b36-9d0c-0b8a3c0f3a77",
  ),
  "RateLimit-Policy": header(
    "The rate limit of the key, if it has one: `q` requests in `w` seconds.",
    '"key";q=600;w=60',
  ),
  RateLimit: header(
    "What is left of the rate limit: `r` requests, and `t` seconds until the window ends.",
    '"key";r=599;t=60',
  ),
  Link: header(
    "Addresses of related resources, such as the next page (RFC 8288).",
    '</v1/pets?limit=20&cursor=MjA6>; rel="next"',
  ),
  "Next-Cursor": header("The `cursor` of the next page. Absent on the last page.", "MjA6"),
  Location: header("The path of the new resource.", "/platform/keys/2"),
  ETag: header(
    "The strong entity tag of this representation (RFC 9110 section 8.8.3).",
    '"4Xz1Kd0pV5hQm7RrJ2uYtWbC9sE"',
  ),
  "Item-ETags": header(
    "The entity tags of the items, one for each, in the same order. They are the tags that `If-Match` takes.",
    '"4Xz1Kd0pV5hQm7RrJ2uYtWbC9sE", "wM3nTq8cLr0vZs6aXy1bGd5eFh2"',
  ),
  "Idempotency-Replayed": header(
    "`true` if this is the stored response to an earlier request with the same `Idempotency-Key`.",
    "true",
    { enum: ["true"] },
  ),
  Deprecation: header("Since when the operation is deprecated, in Unix seconds (RFC 9745).", "@1764892800"),
  Sunset: header("When the operation will be removed (RFC 8594).", "Thu, 05 Dec 2030 00:00:00 GMT"),
  "X-Stability": header("`beta` if the operation can still change.", "beta", { enum: ["beta"] }),
  "WWW-Authenticate": header(
    "How to authenticate, and what is wrong with the key (RFC 6750).",
    'Bearer realm="adoption-store"',
  ),
  "Retry-After": header("Seconds to wait before the next attempt.", "1"),
  "Invalid-Fields": header(
    "The fields that the error is about, as a list of strings with parameters (RFC 9651): `rule` is what is wrong, `min` and `max` are its limits, and `reason` says more of a host name. Absent if the error is about no field.",
    '"name";rule=too_long;max=200, "adopter.email";rule=format',
  ),
  Accept: header("The supported media types of the body.", "application/json"),
  "Accept-Patch": header(
    "The supported media types of a patch (RFC 5789 section 3.1).",
    "application/json, application/merge-patch+json",
  ),
  "Content-Encoding": header("`br` or `gzip`, if `Accept-Encoding` allows it.", "br", {
    enum: ["br", "gzip"],
  }),
};

/** References to headers of the document, by their names in `HEADERS`. */
export const headerRefs = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const ETAG_EXAMPLE = '"4Xz1Kd0pV5hQm7RrJ2uYtWbC9sE"';

/** The request headers that an operation can accept. */
const REQUEST_HEADERS: Record<string, ReturnType<typeof header>> = {
  "If-Match": header(
    "Entity tags, or `*`. If none of them is the current `ETag`, nothing changes, and the response is 412.",
    ETAG_EXAMPLE,
    { pattern: IF_MATCH_PATTERN },
  ),
  // It has no pattern, because a malformed one is ignored.
  "If-None-Match": header(
    "Entity tags, or `*`. If one of them is the current `ETag`, the response is 304, without a body.",
    ETAG_EXAMPLE,
  ),
  "Idempotency-Key": header(
    "Makes a retry safe (draft-ietf-httpapi-idempotency-key-header). Choose a new key for each action, such as a UUID. The response is stored for 24 hours. A retry with the same key gets it again, and nothing is done twice. A different request with the same key gets 422. While the first request is in progress, a retry gets 409. The quotes can be omitted if the key has no space, comma or quote.",
    '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
    { minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY_HEADER, pattern: IDEMPOTENCY_KEY_PATTERN },
  ),
};

export const requestHeader = (name: string): Json => ({
  name,
  in: "header",
  required: false,
  ...REQUEST_HEADERS[name],
});

/** One object for all operations: the YAML document repeats it by an alias. */
export const IDEMPOTENCY_KEY = requestHeader("Idempotency-Key");
