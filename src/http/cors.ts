/** The origins that browsers may call from (CORS), none by default. Keys travel in a header, so no credentials mode. */
export interface Cors {
  /** Adds to the answer to a request that has this Origin. */
  allow(headers: Headers, origin: string | undefined): void;
  /** Headers for the answer to a preflight. */
  preflightFor(origin: string | null, methods: string): Record<string, string>;
}

const EXPOSED =
  "Accept, Accept-Patch, Allow, Content-Encoding, ETag, Link, Location, Next-Cursor, Idempotency-Replayed, X-Request-Id, X-Stability, Deprecation, Sunset, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate";

export const cors = (origins: readonly string[]): Cors => {
  const allowed = new Set(origins);
  const isAllowed = (origin: string | null | undefined): origin is string =>
    typeof origin === "string" && (allowed.has(origin) || allowed.has("*"));
  return {
    allow(headers, origin) {
      if (allowed.size === 0) return;
      headers.append("vary", "Origin");
      if (!isAllowed(origin)) return;
      headers.set("access-control-allow-origin", origin);
      headers.set("access-control-expose-headers", EXPOSED);
    },
    preflightFor: (origin, methods): Record<string, string> =>
      isAllowed(origin)
        ? {
            "access-control-allow-origin": origin,
            "access-control-allow-methods": methods,
            "access-control-allow-headers":
              "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id",
            "access-control-max-age": "600",
          }
        : {},
  };
};
