import type { Clock } from "../../lib/time.ts";
import type { BrowserStates } from "./repository.ts";
import { hashOf, seal, unseal } from "./seal.ts";
import { isToken } from "../../lib/random.ts";
import { MAX_AGE_MS } from "./sessions.ts";

/** A sign-in or registration in progress, as the visitor's cookie holds it. The random `challenge` identifies it. */
export type Ceremony =
  /** A signature by any passkey. */
  | { readonly kind: "authentication"; readonly challenge: string }
  /** A new passkey of this person. */
  | { readonly kind: "registration"; readonly challenge: string; readonly personId: number }
  /** A visit to the OpenID Connect provider. The challenge is its `state`. */
  | {
      readonly kind: "oidc";
      readonly challenge: string;
      readonly nonce: string;
      readonly verifier: string;
      readonly returnTo: string;
    };

type CeremonyKind = Ceremony["kind"];

/** A ceremony from a cookie, with its end in milliseconds UTC. */
type OpenedCeremony<Kind extends CeremonyKind = CeremonyKind> = Extract<Ceremony, { kind: Kind }> & {
  readonly until: number;
};

/** Signing in at a provider may take a password and a second factor. */
const CEREMONY_MS: Readonly<Record<CeremonyKind, number>> = {
  authentication: 5 * 60_000,
  registration: 5 * 60_000,
  oidc: 15 * 60_000,
};

const usedHash = ({ kind, challenge }: Ceremony): string => hashOf(`${kind} ${challenge}`);

/**
 * Seals sign-ins and registrations in progress into the visitor's cookie, so starting one writes nothing and takes no memory.
 * Every process of the store can open the cookie. A used challenge is stored until it expires, so it works only once.
 */
export const createCeremonies = (states: BrowserStates, clock: Clock, sealingKey: () => Promise<string>) => ({
  /** @returns the value of the cookie */
  seal: async (ceremony: Ceremony): Promise<string> =>
    seal(await sealingKey(), { ...ceremony, until: clock.now() + CEREMONY_MS[ceremony.kind] }, ceremony.kind),
  /** The ceremony in a cookie; undefined if it is of another kind, was changed or used, or has expired. */
  async open<Kind extends CeremonyKind>(
    kind: Kind,
    sealed: string | undefined,
  ): Promise<OpenedCeremony<Kind> | undefined> {
    const opened = sealed && (unseal(await sealingKey(), sealed, kind) as OpenedCeremony<Kind> | undefined);
    if (!opened || opened.until <= clock.now()) return undefined;
    await states.fresh();
    return states.find("used_challenge", usedHash(opened)) ? undefined : opened;
  },
  /** Marks a ceremony as used. Only one of several concurrent calls gets true, also across processes. */
  spend: (ceremony: OpenedCeremony): Promise<boolean> =>
    states.spend(usedHash(ceremony), { now: clock.now(), until: ceremony.until }),
});

export type Ceremonies = ReturnType<typeof createCeremonies>;

/**
 * The console's cookies (RFC 6265bis). The prefix `__Host-` prevents pages of neighbouring hosts, which this service publishes,
 * from setting one. Browsers reject the prefix over plain HTTP, as on a developer's machine.
 */
const SECURE = "__Host-";
const SESSION = "adoption-store";

const nameOf = (name: string, isSecure: boolean): string => `${isSecure ? SECURE : ""}${name}`;

const readValue = (name: string, headers: Headers, isSecure: boolean): string | undefined => {
  const prefix = `${nameOf(name, isSecure)}=`;
  const pairs = (headers.get("cookie") ?? "").split(/;\s*/).filter((pair) => pair.startsWith(prefix));
  // If there are two cookies with this name, a page of another host has set one of them.
  return pairs.length === 1 ? pairs[0]?.slice(prefix.length) : undefined;
};

interface CookieOptions {
  isSecure: boolean;
  /** In seconds. */
  maxAge: number;
  sameSite: "Strict" | "Lax";
}

const cookie = (name: string, value: string, { isSecure, maxAge, sameSite }: CookieOptions): string =>
  `${nameOf(name, isSecure)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=${sameSite}${isSecure ? "; Secure" : ""}`;

/** The token in a request's session cookie. */
export const readCookie = (headers: Headers, isSecure: boolean): string | undefined => {
  const token = readValue(SESSION, headers, isSecure) ?? "";
  return isToken(token) ? token : undefined;
};

export const writeCookie = (token: string, isSecure: boolean): string =>
  cookie(SESSION, token, { isSecure, maxAge: MAX_AGE_MS / 1000, sameSite: "Strict" });

export const clearCookie = (isSecure: boolean): string =>
  cookie(SESSION, "", { isSecure, maxAge: 0, sameSite: "Strict" });

const ceremonyName = (kind: CeremonyKind): string => `${SESSION}-${kind}`;

/** The sealed ceremony in a request's cookie. */
export const readCeremony = (kind: CeremonyKind, headers: Headers, isSecure: boolean): string | undefined =>
  readValue(ceremonyName(kind), headers, isSecure);

/** Lax for OpenID Connect, because a visitor comes back from the provider by a link of another site. */
export const writeCeremony = (kind: CeremonyKind, sealed: string, isSecure: boolean): string =>
  cookie(ceremonyName(kind), sealed, {
    isSecure,
    maxAge: CEREMONY_MS[kind] / 1000,
    sameSite: kind === "oidc" ? "Lax" : "Strict",
  });
