import { isToken } from "../../lib/random.ts";
import { CEREMONY_MS, type CeremonyKind } from "./ceremonies.ts";
import { MAX_AGE_MS } from "./sessions.ts";

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
