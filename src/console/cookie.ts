import { LONGEST_MS } from "./sessions.ts";

/**
 * The session's cookie (RFC 6265bis). `__Host-` keeps pages of neighbouring hosts, which we publish, from setting one; over
 * plain HTTP, as on a developer's machine, browsers do not take it.
 */
const SECURE = "__Host-adoption-store";
const PLAIN = "adoption-store";

const nameOf = (isSecure: boolean): string => (isSecure ? SECURE : PLAIN);

const TOKEN = /^[\w-]{43}$/;

/** The token of a request's session cookie. */
export const readCookie = (headers: Headers, isSecure: boolean): string | undefined => {
  const wanted = `${nameOf(isSecure)}=`;
  const found = (headers.get("cookie") ?? "").split(/;\s*/).filter((pair) => pair.startsWith(wanted));
  const token = found[0]?.slice(wanted.length) ?? "";
  // Two of one name: a page of another host has set one.
  return found.length === 1 && TOKEN.test(token) ? token : undefined;
};

const written = (value: string, isSecure: boolean, seconds: number): string =>
  `${nameOf(isSecure)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;

export const writeCookie = (token: string, isSecure: boolean): string =>
  written(token, isSecure, LONGEST_MS / 1000);

export const endCookie = (isSecure: boolean): string => written("", isSecure, 0);
