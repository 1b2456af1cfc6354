import { isToken } from "../lib/random.ts";
import { MAX_AGE_MS } from "./sessions.ts";

/**
 * The session's cookie (RFC 6265bis). The prefix `__Host-` prevents pages of neighbouring hosts, which this service publishes,
 * from setting one. Browsers reject the prefix over plain HTTP, as on a developer's machine.
 */
const SECURE = "__Host-";
const SESSION = "adoption-store";
/** Binds the challenges of a visitor who is signing in to their browser. */
const VISITOR = "adoption-store-visitor";

const nameOf = (name: string, isSecure: boolean): string => `${isSecure ? SECURE : ""}${name}`;

const readToken = (name: string, headers: Headers, isSecure: boolean): string | undefined => {
  const prefix = `${nameOf(name, isSecure)}=`;
  const pairs = (headers.get("cookie") ?? "").split(/;\s*/).filter((pair) => pair.startsWith(prefix));
  const token = pairs[0]?.slice(prefix.length) ?? "";
  // If there are two cookies with this name, a page of another host has set one of them.
  return pairs.length === 1 && isToken(token) ? token : undefined;
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
export const readCookie = (headers: Headers, isSecure: boolean): string | undefined =>
  readToken(SESSION, headers, isSecure);

export const writeCookie = (token: string, isSecure: boolean): string =>
  cookie(SESSION, token, { isSecure, maxAge: MAX_AGE_MS / 1000, sameSite: "Strict" });

export const clearCookie = (isSecure: boolean): string =>
  cookie(SESSION, "", { isSecure, maxAge: 0, sameSite: "Strict" });

/** The token in a request's visitor cookie. */
export const readVisitor = (headers: Headers, isSecure: boolean): string | undefined =>
  readToken(VISITOR, headers, isSecure);

/** Lax, because a visitor comes back from an OpenID Connect provider by a link of another site. */
export const writeVisitor = (token: string, isSecure: boolean): string =>
  cookie(VISITOR, token, { isSecure, maxAge: MAX_AGE_MS / 1000, sameSite: "Lax" });
