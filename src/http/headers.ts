import type { TObject } from "@sinclair/typebox";
import { Elysia } from "elysia";

/** The headers of every response. */
export const STANDING = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
} as const;

/** The headers of every response to a request with a valid key. */
export const KEYED = {
  "cache-control": "private, no-cache",
  vary: "Authorization",
} as const;

/** When `getPet` became deprecated, 5 December 2025, in Unix seconds. */
const DEPRECATED_SINCE = 1_764_892_800;
const SUNSET = "Thu, 05 Dec 2030 00:00:00 GMT";

/** The macros of routes that may change or end: their responses announce it in headers. */
export const lifespan = () =>
  new Elysia({ name: "lifespan" })
    .macro("deprecated", ({ successor }: { successor: string }) => ({
      detail: { deprecated: true },
      transform({ set }) {
        set.headers["deprecation"] = `@${DEPRECATED_SINCE}`; // RFC 9745
        set.headers["sunset"] = SUNSET; // RFC 8594
        set.headers["link"] = `<${successor}>; rel="successor-version"`;
      },
    }))
    .macro("stability", (_level: "beta") => ({
      detail: { "x-stability": "beta" } as object,
      transform({ set }) {
        set.headers["x-stability"] = "beta";
      },
    }));

/**
 * The headers for the next page: its address (RFC 8288) and its cursor. None on the last page. The address has the parameters
 * of this page in the order of their schema, so that the same list has the same address. It omits defaults other than `limit`.
 * @param url of this page
 */
export const nextPage = (
  url: string,
  { properties }: TObject,
  cursor: string | undefined,
): Record<string, string> => {
  if (cursor === undefined) return {};
  const { pathname, searchParams: given } = new URL(url);
  const next = new URLSearchParams();
  for (const [name, { default: byDefault }] of Object.entries(properties)) {
    const value = given.get(name) ?? String(byDefault);
    if (name === "limit" || (given.has(name) && value !== byDefault)) next.set(name, value);
  }
  next.delete("cursor");
  next.set("cursor", cursor);
  return { link: `<${pathname}?${next}>; rel="next"`, "next-cursor": cursor };
};

const ACCEPTED_ID = /^[\w\-.:]{1,128}$/;

/** The client's own request id if it is safe to log, else a new one. */
export const requestIdOf = (sent: string | null | undefined): string =>
  typeof sent === "string" && ACCEPTED_ID.test(sent) ? sent : crypto.randomUUID();

/** Sets the headers of `extra` that are absent. */
export const setAbsent = (headers: Headers, extra: Readonly<Record<string, string>>): void => {
  for (const name in extra) if (!headers.has(name)) headers.set(name, extra[name] as string);
};

/** Sets the headers of every response. A response that has the first of them already has them all. */
export const completeHeaders = (headers: Headers, keyed: boolean): void => {
  if (headers.has("x-content-type-options")) return;
  setAbsent(headers, STANDING);
  if (keyed) setAbsent(headers, KEYED);
};

/** False for a page of another site, or of a neighbouring host that this service publishes (Fetch Metadata). */
export const isSameOrigin = (headers: Headers): boolean => {
  const site = headers.get("sec-fetch-site");
  return site === null || site === "same-origin";
};
