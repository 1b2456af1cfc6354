import { bearer } from "@elysiajs/bearer";
import { Elysia } from "elysia";
import { Fault } from "../lib/errors.ts";
import type { Rate, RateLimiter } from "../lib/rate-limiter.ts";
import { type Grant, type Scope, holds } from "../lib/scopes.ts";

/** The API key of a request. */
export interface AuthenticatedKey {
  id: number;
  name: string;
  scopes: ReadonlySet<Grant>;
  /** Undefined: no limit. */
  rate: Rate | undefined;
  /** When the request's secret expires, in milliseconds UTC; undefined: never. */
  expiresAt: number | undefined;
}

/** The key of public routes, and of every request until it is authenticated. It holds no scope. */
const NO_KEY: AuthenticatedKey = {
  id: 0,
  name: "",
  scopes: new Set(),
  rate: undefined,
  expiresAt: undefined,
};

export const CHALLENGE = 'Bearer realm="adoption-store"';
/** RFC 6750 section 2.1: the scheme, in any case (RFC 9110 section 11.1), one or more spaces, a b64token. */
const CREDENTIALS = /^Bearer +([\w\-.~+/]+=*) *$/i;

/** The token of an Authorization header; "" if the header is malformed or has another scheme, undefined if it is absent. */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  authorization === undefined ? undefined : (CREDENTIALS.exec(authorization)?.[1] ?? "");

export interface AuthorizationOptions {
  /** The key that a secret belongs to; undefined if the secret is not valid. */
  authenticate(secret: string): Promise<AuthenticatedKey | undefined>;
  /** Limits each key's requests. */
  requests: RateLimiter;
  /** Limits failed authentications of one client. */
  failures: RateLimiter;
  failureRate: Rate;
  /** The client that a failed authentication counts against. */
  clientOf(request: Request): string;
}

/** @throws Fault insufficient_scope */
const assertScope = (key: AuthenticatedKey, scope: Scope | "any") => {
  if (scope === "any" || holds(key, scope)) return;
  throw new Fault("insufficient_scope", `The API key lacks the scope ${scope}.`, {
    "www-authenticate": `${CHALLENGE}, error="insufficient_scope", scope="${scope}"`,
  });
};

/**
 * The macros `scope` and `public`. Every route has one of them. `scope: "pets:read"` requires a key that holds the scope,
 * `scope: "any"` any valid key. Both are checked before the body is read and before anything is validated. Handlers get the
 * key as `key`.
 */
export const authorization = ({
  authenticate,
  requests,
  failures,
  failureRate,
  clientOf,
}: AuthorizationOptions) => {
  const refuse = async (request: Request, code: "missing_api_key" | "invalid_api_key"): Promise<never> => {
    await failures.take(clientOf(request), failureRate);
    const challenge = code === "missing_api_key" ? CHALLENGE : `${CHALLENGE}, error="invalid_token"`;
    throw new Fault(code, undefined, { "www-authenticate": challenge });
  };

  return (
    new Elysia({ name: "authorization" })
      .decorate({ key: NO_KEY })
      // The plugin is case-sensitive, accepts "BearerX" and falls back to ?access_token=: give it a clean header or none.
      .onTransform({ as: "global" }, function cleanCredentials({ headers }) {
        const token = bearerToken(headers["authorization"]);
        headers["authorization"] = token && `Bearer ${token}`;
      })
      .use(bearer())
      /** Marks a route that needs no key. */
      .macro("public", (_mark: true) => ({ detail: { security: [] } }))
      .macro("scope", (scope: Scope | "any") => ({
        detail: { security: [{ apiKey: scope === "any" ? [] : [scope] }] },
        // Replaces Elysia's own parsers, which would read the body before the key is checked.
        parse: () => null,
        async transform({ headers: { authorization }, bearer, request, set }) {
          if (authorization === undefined) return refuse(request, "missing_api_key");
          const key = authorization === "" ? undefined : await authenticate(bearer ?? "");
          if (!key) return refuse(request, "invalid_api_key");
          if (key.rate) Object.assign(set.headers, await requests.take(String(key.id), key.rate));
          assertScope(key, scope);
          // Elysia adds what a transform returns to the context, though its types say void.
          return { key } as unknown as void;
        },
        // Whatever happens to the hooks above, no handler runs without a key.
        beforeHandle({ key }) {
          if (key === NO_KEY) throw new Fault("invalid_api_key");
        },
      }))
  );
};
