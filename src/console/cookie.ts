import { MAX_AGE_MS } from "./sessions.ts";

/**
 * The session's cookie (RFC 6265bis). The prefix `__Host-` prevents pages of neighbouring hosts, which this service publishes,
 * from setting one. Browsers reject the prefix over plain HTTP, as on a developer's machine.
 */
const SECURE = "__Host-adoption-store";
const PLAIN = "adoption-store";

const nameOf = (isSecure: boolean): string => (isSecure ? SECURE : PLAIN);

const TOKEN = /^[\w-]{43}$/;

/** The token in a request's session cookie. */
export const readCookie = (headers: Headers, isSecure: boolean): string | undefined => {
  const prefix = `${nameOf(isSecure)}=`;
  const pairs = (headers.get("cookie") ?? "").split(/;\s*/).filter((pair) => pair.startsWith(prefix));
  const token = pairs[0]?.slice(prefix.length) ?? "";
  // If there are two cookies with this name, a page of another host has set one of them.
  return pairs.length === 1 && TOKEN.test(token) ? token : undefined;
};

const setCookie = (value: string, isSecure: boolean, maxAge: number): string =>
  `${nameOf(isSecure)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;

export const writeCookie = (token: string, isSecure: boolean): string =>
  setCookie(token, isSecure, MAX_AGE_MS / 1000);

export const clearCookie = (isSecure: boolean): string => setCookie("", isSecure, 0);
