const EXPOSED =
  "Accept, Accept-Patch, Allow, Content-Encoding, ETag, Item-ETags, Link, Location, Next-Cursor, Idempotency-Replayed, Invalid-Fields, X-Request-Id, X-Stability, Deprecation, Sunset, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate";

/** CORS for these origins; `*` allows all. API keys are sent in a header, so credentials mode is not needed. */
export const cors = (origins: readonly string[]) => {
  const allowed = new Set(origins);
  const isAllowed = (origin: string | null | undefined): origin is string =>
    typeof origin === "string" && (allowed.has(origin) || allowed.has("*"));
  return {
    /** Sets the headers of the response to a request from this origin. */
    allow(headers: Headers, origin: string | undefined): void {
      if (allowed.size === 0) return;
      headers.append("vary", "Origin");
      if (!isAllowed(origin)) return;
      headers.set("access-control-allow-origin", origin);
      headers.set("access-control-expose-headers", EXPOSED);
    },
    /** The headers of the response to a preflight. */
    preflightFor: (origin: string | null, methods: string): Record<string, string> =>
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

export type Cors = ReturnType<typeof cors>;
