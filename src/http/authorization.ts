import { bearer } from "@elysiajs/bearer";
import { Elysia } from "elysia";
import { Fault } from "../lib/errors.ts";
import type { Rate, RateLimiter } from "../lib/rate-limiter.ts";
import { type Grant, type Scope, holds } from "./scopes.ts";

/** The sender of a request: an API key, or a person or the operator signed in to the console. */
export interface Caller {
  kind: "key" | "person" | "operator";
  /** Unique among the callers of its kind. */
  id: number;
  name: string;
  scopes: ReadonlySet<Grant>;
  /** Undefined: no limit. */
  rate: Rate | undefined;
  /** When the request's secret expires, in milliseconds UTC; undefined: never. */
  expiresAt: number | undefined;
}

/** Identifies a caller among all callers: `key:1`, `person:1`. It is stored with responses: never change its form. */
export const callerId = ({ kind, id }: Pick<Caller, "kind" | "id">): string => `${kind}:${id}`;

/** The caller of public routes, and of every request until it is authenticated. It holds no scope. */
export const NO_CALLER: Caller = {
  kind: "key",
  id: 0,
  name: "",
  scopes: new Set(),
  rate: undefined,
  expiresAt: undefined,
};

const CHALLENGE = 'Bearer realm="adoption-store"';
/** RFC 6750 section 2.1: the scheme, in any case (RFC 9110 section 11.1), one or more spaces, a b64token. */
const CREDENTIALS = /^Bearer +([\w\-.~+/]+=*) *$/i;

/** The token of an Authorization header; "" if the header is malformed or has another scheme, undefined if it is absent. */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  authorization === undefined ? undefined : (CREDENTIALS.exec(authorization)?.[1] ?? "");

export interface AuthorizationOptions {
  /** The key that a secret belongs to; undefined if the secret is not valid. */
  authenticate(secret: string): Promise<Caller | undefined>;
  /** The person for whom the console's gateway forwards the request; undefined for every other request. */
  personOf?(request: Request): Promise<Caller | undefined> | undefined;
  /** Limits each caller's requests. */
  requests: RateLimiter;
  /** The cluster node that forwarded a request. Each node has its own share of the limits. */
  nodeOf?(request: Request): string | undefined;
  /** Called after each failed authentication. */
  onRefused?(request: Request): void;
  /** Limits failed authentications of one client. */
  failures: RateLimiter;
  failureRate: Rate;
  /** The client that a failed authentication counts against. */
  clientOf(request: Request): string;
}

/** The holder of a caller's scopes. */
const HOLDERS = { key: "The API key", person: "Your role", operator: "The operator" } as const;

/** @throws Fault insufficient_scope */
export const assertScope = (caller: Caller, scope: Scope | "any") => {
  if (scope === "any" || holds(caller, scope)) return;
  throw new Fault("insufficient_scope", `${HOLDERS[caller.kind]} lacks the scope ${scope}.`, {
    "www-authenticate": `${CHALLENGE}, error="insufficient_scope", scope="${scope}"`,
  });
};

/** The fault of a request without a session. RFC 9110 section 15.5.2: a 401 response has a challenge. */
export const notSignedIn = (): Fault =>
  new Fault("not_signed_in", undefined, { "www-authenticate": CHALLENGE });

/**
 * The macros `scope` and `public`. Every route has one of them. `scope: "pets:read"` requires a key that holds the scope,
 * `scope: "any"` any valid key. Both are checked before the body is read and before anything is validated. Handlers get the
 * caller as `caller`.
 */
export const authorization = ({
  authenticate,
  personOf = () => undefined,
  onRefused = () => {},
  requests,
  nodeOf = () => undefined,
  failures,
  failureRate,
  clientOf,
}: AuthorizationOptions) => {
  const refuse = async (request: Request, code: "missing_api_key" | "invalid_api_key"): Promise<never> => {
    onRefused(request);
    await failures.take(clientOf(request), failureRate);
    const challenge = code === "missing_api_key" ? CHALLENGE : `${CHALLENGE}, error="invalid_token"`;
    throw new Fault(code, undefined, { "www-authenticate": challenge });
  };

  const keyOf = async (request: Request, authorization: string | undefined, bearer: string | undefined) => {
    if (authorization === undefined) return refuse(request, "missing_api_key");
    // The plugin accepts one spelling of the scheme, and falls back to ?access_token=.
    const token = authorization.startsWith("Bearer ") ? bearer?.trim() : bearerToken(authorization);
    const key = await authenticate(token ?? "");
    return key ?? refuse(request, "invalid_api_key");
  };

  return (
    new Elysia({ name: "authorization" })
      .decorate({ caller: NO_CALLER })
      .use(bearer())
      /** Marks a route that needs no key. */
      .macro("public", (_mark: true) => ({ detail: { security: [] } }))
      .macro("scope", (scope: Scope | "any") => ({
        detail: { security: [{ apiKey: scope === "any" ? [] : [scope] }] },
        // Replaces Elysia's own parsers, which would read the body before the key is checked.
        parse: () => null,
        async transform({ headers: { authorization }, bearer, request, set }) {
          const person = personOf(request);
          const caller = await (person ?? keyOf(request, authorization, bearer));
          // The person was removed since they signed in.
          if (!caller) throw notSignedIn();
          if (caller.rate)
            Object.assign(
              set.headers,
              await requests.take(`${callerId(caller)}${nodeOf(request) ?? ""}`, caller.rate),
            );
          assertScope(caller, scope);
          // Elysia adds a transform's return value to the context, though its types say void.
          return { caller } as unknown as void;
        },
        // Whatever happens to the hooks above, no handler runs without a caller.
        beforeHandle({ caller }) {
          if (caller === NO_CALLER) throw new Fault("invalid_api_key");
        },
      }))
  );
};

/** False for a page of another site, or of a neighbouring host that this service publishes (Fetch Metadata). */
export const isSameOrigin = (headers: Headers): boolean => {
  const site = headers.get("sec-fetch-site");
  return site === null || site === "same-origin";
};
