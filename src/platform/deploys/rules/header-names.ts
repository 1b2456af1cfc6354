/**
 * The headers that a site may set, in lower case, by their purpose. The list has only names that concern the site alone: other
 * names could frame the message, speak to a proxy in front (`X-Accel-Redirect`), or reach other sites of the same platform.
 */
export const SITE_HEADERS = {
  caches: ["cache-control", "cdn-cache-control", "vary"],
  content: [
    "content-type",
    "content-disposition",
    "content-language",
    "link",
    "sourcemap",
    "x-ua-compatible",
  ],
  "search engines": ["x-robots-tag"],
  "what the page may do": [
    "content-security-policy",
    "content-security-policy-report-only",
    "permissions-policy",
    "document-policy",
    "referrer-policy",
    "service-worker-allowed",
    "x-content-type-options",
    "x-dns-prefetch-control",
    "x-xss-protection",
  ],
  "what other sites may do": [
    "access-control-allow-credentials",
    "access-control-allow-headers",
    "access-control-allow-methods",
    "access-control-allow-origin",
    "access-control-expose-headers",
    "access-control-max-age",
    "cross-origin-embedder-policy",
    "cross-origin-embedder-policy-report-only",
    "cross-origin-opener-policy",
    "cross-origin-opener-policy-report-only",
    "cross-origin-resource-policy",
    "origin-agent-cluster",
    "timing-allow-origin",
    "x-frame-options",
    "x-permitted-cross-domain-policies",
  ],
  reports: ["nel", "report-to", "reporting-endpoints", "server-timing"],
} as const;

const ALLOWED: ReadonlySet<string> = new Set(Object.values(SITE_HEADERS).flat());

/** Why a site may not set a header that many try to set. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ["basic-auth", "passwords are not supported"],
  ["clear-site-data", "it would clear the cookies of other sites too"],
  ["content-encoding", "the service compresses the files"],
  ["content-length", "the service sets it"],
  ["etag", "the service sets it"],
  ["location", "write the redirect into _redirects"],
  ["set-cookie", "a cookie could reach other sites"],
  ["strict-transport-security", "the service sets it once certificates renew"],
]);

/** Why a site may not set the header; undefined if it may. */
export const nameProblem = (name: string): string | undefined => {
  if (ALLOWED.has(name)) return undefined;
  const reason = REASONS.get(name);
  return reason === undefined ? "is not a header that sites may set" : `may not be set: ${reason}`;
};

/** Headers of which the last value counts. The values of other headers are joined. */
export const SINGLE_VALUES: ReadonlySet<string> = new Set(["cache-control", "content-type"]);

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:; ?charset=[\w-]+)?$/i;

/** The problem of a header's value. */
export const valueProblem = (name: string, value: string): string | undefined => {
  if (value === "") return "has no value";
  if (!/^[\t\u0020-\u007E]*$/.test(value)) return "has a value that is not printable ASCII";
  if (name === "content-type" && !MEDIA_TYPE.test(value))
    return "must be a media type, such as application/json";
  return name === "x-content-type-options" && value.toLowerCase() !== "nosniff"
    ? "must be nosniff"
    : undefined;
};
