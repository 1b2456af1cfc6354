import { t } from "elysia";
import type { openOidc } from "../../access/people/oidc.ts";
import type { passkeyService } from "../../access/people/passkeys.ts";
import type { RelyingParty } from "../../access/people/person.ts";
import type { PersonService } from "../../access/people/service.ts";
import { type Caller, isSameOrigin } from "../../http/authorization.ts";
import type { Macros } from "../../http/macros.ts";
import { AnyText, NoQuery } from "../../http/schemas.ts";
import { Fault } from "../../lib/errors.ts";
import type { Rate } from "../../lib/rate-limiter.ts";
import type { Ceremonies } from "./cookies.ts";
import type { Gateway } from "./gateway.ts";
import type { Sessions } from "./sessions.ts";
import type { SignInLinks } from "./sign-in-links.ts";

/** The parts of the console that a server has once. */
export interface ConsoleParts {
  sessions: Sessions;
  ceremonies: Ceremonies;
  gateway: Gateway;
  /** Browsers store the user's answers per store, because another store may later have the same address. */
  storeId: string;
  /** True if the request came over HTTPS. */
  isSecure: (request: Request) => boolean;
  partyOf: (request: Request) => RelyingParty;
  /** Counts an attempt to sign in that begins. @throws Fault rate_limited */
  attempt: (request: Request) => Promise<unknown>;
  /** Counts a failed attempt. @throws Fault rate_limited */
  fail: (request: Request) => Promise<unknown>;
}

export interface RouteContext extends ConsoleParts {
  macros: Macros;
  authenticate: (secret: string) => Promise<Caller | undefined>;
  formatRate: (rate: Rate) => string;
  people: PersonService;
  passkeys: ReturnType<typeof passkeyService>;
  signInLinks: SignInLinks;
  /** Undefined without OIDC_ISSUER. */
  oidc: ReturnType<typeof openOidc>;
}

/** 256 bits in base64url; a longer one may have been cut off or pasted twice. */
export const TOKEN = AnyText("InvitationToken", { max: 200 });

export const hidden = { public: true, query: NoQuery, detail: { hide: true } } as const;

/** Options of a hidden route with any query. */
export const hiddenPage = {
  public: true,
  query: t.Record(t.String(), t.String()),
  detail: { hide: true },
} as const;

/** Options of a hidden route whose body has these fields. */
export const hiddenPost = <Fields extends Parameters<typeof t.Object>[0]>(fields: Fields) =>
  ({ ...hidden, reads: "json", body: t.Object(fields, { additionalProperties: false }) }) as const;

/** A page of another site must not sign a visitor in to another account. @throws Fault cross_site_request */
export const assertOwnPage = ({ headers }: Request) => {
  if (!isSameOrigin(headers)) throw new Fault("cross_site_request");
};

/** A response of the console that no cache keeps. */
export const respond = (status: number, state?: object, headers: Record<string, string> = {}): Response =>
  new Response(state && JSON.stringify(state), {
    status,
    headers: {
      ...(state && { "content-type": "application/json" }),
      "cache-control": "no-store",
      ...headers,
    },
  });
