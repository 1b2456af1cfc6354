/** The origins that browsers may call from (CORS), none by default. Keys travel in a header, so no credentials mode. */
export interface Cors {
  /** Headers for an answer to a request that has this Origin. */
  headersFor(origin: string | null): Record<string, string>;
  /** Headers for the answer to a preflight. */
  preflightFor(origin: string | null, methods: string): Record<string, string>;
}

const EXPOSED =
  "Link, Location, X-Request-Id, X-Stability, Deprecation, Sunset, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate";

export const cors = (origins: readonly string[]): Cors => {
  const allowed = new Set(origins);
  const vary = allowed.size > 0 ? { vary: "Origin" } : {};
  const isAllowed = (origin: string | null): origin is string =>
    origin !== null && (allowed.has(origin) || allowed.has("*"));
  return {
    headersFor: (origin) =>
      isAllowed(origin)
        ? { ...vary, "access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED }
        : vary,
    preflightFor: (origin, methods) =>
      isAllowed(origin)
        ? {
            ...vary,
            "access-control-allow-origin": origin,
            "access-control-allow-methods": methods,
            "access-control-allow-headers": "Authorization, Content-Type, X-Request-Id",
            "access-control-max-age": "600",
          }
        : vary,
  };
};
