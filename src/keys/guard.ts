import { bearer } from "@elysiajs/bearer";
import { Elysia } from "elysia";
import { Fault } from "../lib/errors.ts";
import type { RateLimiter, Window } from "../lib/rate-limiter.ts";
import type { Key } from "./repository.ts";
import type { KeyService } from "./service.ts";
import { type Scope, holds } from "../lib/scopes.ts";

/** The key of a request that no scope let in: it may do nothing. */
export const NOBODY: Key = {
  id: 0,
  name: "",
  scopes: new Set(),
  rate: undefined,
  prefix: "",
  createdAt: 0,
  expiresAt: undefined,
  lastUsedAt: undefined,
  revokedAt: undefined,
};

const CHALLENGE = 'Bearer realm="adoption-store"';
/** RFC 6750 section 2.1: the scheme, in any case (RFC 9110 section 11.1), one or more spaces, a b64token. */
const CREDENTIALS = /^Bearer +([\w\-.~+/]+=*) *$/i;

/** "Bearer <token>" exactly, "" for a header that is something else, undefined for none. */
export const normalise = (authorization: string | undefined): string | undefined => {
  if (authorization === undefined) return undefined;
  const token = CREDENTIALS.exec(authorization)?.[1];
  return token ? `Bearer ${token}` : "";
};

export interface GuardSettings {
  keys: Pick<KeyService, "authenticate">;
  /** Limits each key's requests. */
  requests: RateLimiter;
  /** Limits failed authentications of one client. */
  failures: RateLimiter;
  failureWindow: Window;
  /** What a client is counted by. */
  clientOf(request: Request): string;
}

const assertScope = (key: Key, scope: Scope | "any") => {
  if (scope === "any" || holds(key, scope)) return;
  throw new Fault("insufficient_scope", `The API key lacks the scope ${scope}.`, {
    "www-authenticate": `${CHALLENGE}, error="insufficient_scope", scope="${scope}"`,
  });
};

/**
 * The macro that every route names: `scope: "pets:read"` lets in a key that holds the scope, `scope: "any"` every valid
 * key, before the body is read and anything is validated. Handlers get the key as `key`.
 */
export const guard = ({ keys, requests, failures, failureWindow, clientOf }: GuardSettings) => {
  const refuse = async (request: Request, code: "missing_api_key" | "invalid_api_key"): Promise<never> => {
    await failures.take(clientOf(request), failureWindow);
    const challenge = code === "missing_api_key" ? CHALLENGE : `${CHALLENGE}, error="invalid_token"`;
    throw new Fault(code, undefined, { "www-authenticate": challenge });
  };

  return (
    new Elysia({ name: "guard" })
      .decorate({ key: NOBODY })
      // The plugin is case-sensitive, takes "BearerX" and falls back to ?access_token=: it sees a clean header or none.
      .onTransform({ as: "global" }, function cleanCredentials({ headers }) {
        headers["authorization"] = normalise(headers["authorization"]);
      })
      .use(bearer())
      /** The mark of a route that needs no key. */
      .macro("public", (_mark: true) => ({ detail: { security: [] } }))
      .macro("scope", (scope: Scope | "any") => ({
        detail: { security: [{ apiKey: scope === "any" ? [] : [scope] }] },
        // Takes the place of Elysia's own parsers, which would read a body before the guard looks at the key.
        parse: () => null,
        async transform({ headers: { authorization }, bearer, request, set }) {
          if (authorization === undefined) return refuse(request, "missing_api_key");
          const key = authorization === "" ? undefined : await keys.authenticate(bearer ?? "");
          if (!key) return refuse(request, "invalid_api_key");
          if (key.rate) {
            const window = { points: key.rate.requests, seconds: key.rate.seconds };
            Object.assign(set.headers, await requests.take(String(key.id), window));
          }
          assertScope(key, scope);
          // Elysia adds what a transform returns to the context, though its types say void.
          return { key } as unknown as void;
        },
        // The last bolt: no handler runs before a key was let in, whatever becomes of the hooks above.
        beforeHandle({ key }) {
          if (key === NOBODY) throw new Fault("invalid_api_key");
        },
      }))
  );
};
