import { IDEMPOTENCY_KEY_PATTERN, MAX_IDEMPOTENCY_KEY_HEADER } from "../http/idempotency.ts";
import { IF_MATCH_PATTERN } from "../http/etag.ts";
import type { Json } from "./schemas.ts";

/** Every header that a response may carry. */
export const HEADERS: Record<string, { description: string; schema: Json }> = {
  "X-Request-Id": {
    description: "The id of the request: the one that the client sent, if it is valid, or a new one.",
    schema: { type: "string", examples: ["4f5c1b9e-8a70-4b36-9d0c-0b8a3c0f3a77"] },
  },
  "RateLimit-Policy": {
    description: "The rate limit of the key, if it has one: `q` requests in `w` seconds.",
    schema: { type: "string", examples: ['"key";q=600;w=60'] },
  },
  RateLimit: {
    description: "What is left of the rate limit: `r` requests, and `t` seconds until the window ends.",
    schema: { type: "string", examples: ['"key";r=599;t=60'] },
  },
  Link: {
    description: "Addresses of related resources, such as the next page (RFC 8288).",
    schema: { type: "string", examples: ['</v1/pets?limit=20&cursor=MjA6>; rel="next"'] },
  },
  "Next-Cursor": {
    description: "The `cursor` of the next page. Absent on the last page.",
    schema: { type: "string", examples: ["MjA6"] },
  },
  Location: {
    description: "The path of the new resource.",
    schema: { type: "string", examples: ["/platform/keys/2"] },
  },
  ETag: {
    description: "The strong entity tag of this representation (RFC 9110 section 8.8.3).",
    schema: { type: "string", examples: ['"4Xz1Kd0pV5hQm7RrJ2uYtWbC9sE"'] },
  },
  "Item-ETags": {
    description:
      "The entity tags of the items, one for each, in the same order. They are the tags that `If-Match` takes.",
    schema: { type: "string", examples: ['"4Xz1Kd0pV5hQm7RrJ2uYtWbC9sE", "wM3nTq8cLr0vZs6aXy1bGd5eFh2"'] },
  },
  "Idempotency-Replayed": {
    description:
      "`true` if this is the stored response to an earlier request with the same `Idempotency-Key`.",
    schema: { type: "string", enum: ["true"], examples: ["true"] },
  },
  Deprecation: {
    description: "Since when the operation is deprecated, in Unix seconds (RFC 9745).",
    schema: { type: "string", examples: ["@1764892800"] },
  },
  Sunset: {
    description: "When the operation will be removed (RFC 8594).",
    schema: { type: "string", examples: ["Thu, 05 Dec 2030 00:00:00 GMT"] },
  },
  "X-Stability": {
    description: "`beta` if the operation can still change.",
    schema: { type: "string", enum: ["beta"], examples: ["beta"] },
  },
  "WWW-Authenticate": {
    description: "How to authenticate, and what is wrong with the key (RFC 6750).",
    schema: { type: "string", examples: ['Bearer realm="adoption-store"'] },
  },
  "Retry-After": {
    description: "Seconds to wait before the next attempt.",
    schema: { type: "string", examples: ["1"] },
  },
  "Invalid-Fields": {
    description:
      "The fields that the error is about, as a list of strings with parameters (RFC 9651): `rule` is what is wrong, `min` and `max` are its limits, and `reason` says more of a host name. Absent if the error is about no field.",
    schema: { type: "string", examples: ['"name";rule=too_long;max=200, "adopter.email";rule=format'] },
  },
  Accept: {
    description: "The supported media types of the body.",
    schema: { type: "string", examples: ["application/json"] },
  },
  "Accept-Patch": {
    description: "The supported media types of a patch (RFC 5789 section 3.1).",
    schema: { type: "string", examples: ["application/json, application/merge-patch+json"] },
  },
  "Content-Encoding": {
    description: "`br` or `gzip`, if `Accept-Encoding` allows it.",
    schema: { type: "string", enum: ["br", "gzip"], examples: ["br"] },
  },
};

/** References to headers of the document, by their names in `HEADERS`. */
export const headerRefs = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const ETAG_EXAMPLE = '"4Xz1Kd0pV5hQm7RrJ2uYtWbC9sE"';

/** The request headers that make an operation conditional. */
const CONDITIONS: Record<string, { description: string; schema: Json }> = {
  "If-Match": {
    description:
      "Entity tags, or `*`. If none of them is the current `ETag`, nothing changes, and the response is 412.",
    schema: { type: "string", pattern: IF_MATCH_PATTERN, examples: [ETAG_EXAMPLE] },
  },
  // It has no pattern, because a malformed one is ignored.
  "If-None-Match": {
    description:
      "Entity tags, or `*`. If one of them is the current `ETag`, the response is 304, without a body.",
    schema: { type: "string", examples: [ETAG_EXAMPLE] },
  },
};

export const conditionOf = (name: string): Json => ({
  name,
  in: "header",
  required: false,
  ...CONDITIONS[name],
});

export const IDEMPOTENCY_KEY: Json = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Makes a retry safe (draft-ietf-httpapi-idempotency-key-header). Choose a new key for each action, such as a UUID. The response is stored for 24 hours. A retry with the same key gets it again, and nothing is done twice. A different request with the same key gets 422. While the first request is in progress, a retry gets 409. The quotes can be omitted if the key has no space, comma or quote.",
  schema: {
    type: "string",
    minLength: 1,
    maxLength: MAX_IDEMPOTENCY_KEY_HEADER,
    pattern: IDEMPOTENCY_KEY_PATTERN,
    examples: ['"8e03978e-40d5-43dd-bc93-6894a57f9324"'],
  },
};
