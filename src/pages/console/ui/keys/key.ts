import type { components } from "../../../../client/types/platform.d.ts";

/** The permissions of a key; `*` is everything. */
export type Grant = components["schemas"]["Key"]["scopes"][number];

export const PERMISSIONS: Record<Grant, string> = {
  "*": "Full access including future permissions",
  "pets:read": "Read animals and categories",
  "pets:write": "Add, change and delete animals and categories",
  "orders:read": "Read adoptions",
  "orders:write": "Start and change adoptions",
  "platform:read": "Read projects, deploys and domains",
  "platform:write": "Change projects, deploys and domains",
  "metrics:read": "Read /metrics",
  "audit:read": "Read the history: who changed what",
  "keys:admin": "Create, list, rotate and revoke keys",
  "people:admin": "Add, invite, change and remove people",
};

/** In the order of the form. */
export const GRANTS = Object.keys(PERMISSIONS) as readonly Grant[];

/** A key grants only its own permissions. */
export const mayGrant = (own: readonly Grant[], grant: Grant): boolean =>
  own.includes("*") || own.includes(grant);

/** The scopes to request. Everything includes all others. */
export const grantsOf = (chosen: ReadonlySet<Grant>): Grant[] =>
  chosen.has("*") ? ["*"] : GRANTS.filter((grant) => chosen.has(grant));

export const KEYS = ["keys"] as const;

export type Key = components["schemas"]["Key"];
export type MintedKey = components["schemas"]["MintedKey"];

type KeyState = "active" | "expired" | "revoked";

/** @param now milliseconds UTC */
export const stateOf = ({ revokedAt, expiresAt }: Key, now: number): KeyState => {
  if (revokedAt !== undefined) return "revoked";
  return expiresAt !== undefined && Date.parse(expiresAt) <= now ? "expired" : "active";
};

/** What limits a key, and other keys through it. */
export type Reach = Pick<Key, "scopes" | "expiresAt" | "rateLimit">;

const endOf = ({ expiresAt }: Reach): number =>
  expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);

/** True if the page offers to rotate or revoke a key. Only the API decides which rate limit is looser. */
export const mayChange = (own: Reach, other: Reach): boolean =>
  other.scopes.every((scope) => mayGrant(own.scopes, scope)) &&
  endOf(other) <= endOf(own) &&
  (own.rateLimit === undefined || other.rateLimit !== undefined);

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;

/** The end of a day in the local time zone, in RFC 3339. @param day such as 2026-12-05; other text is returned unchanged */
export const endOfDay = (day: string): string => {
  const [year, month, date] = (DAY.exec(day) ?? []).slice(1).map(Number);
  if (year === undefined || month === undefined || date === undefined) return day;
  return new Date(year, month - 1, date + 1).toISOString();
};

/**
 * When a new key expires: at the end of the chosen day, but not after the key that creates it.
 * @param day such as 2026-12-05, or "" for none
 */
export const expiryOf = (day: string, ownEnd: string | undefined): string | undefined => {
  if (day === "") return ownEnd;
  const end = endOfDay(day);
  return ownEnd !== undefined && Date.parse(end) > Date.parse(ownEnd) ? ownEnd : end;
};

const WINDOWS = { s: "second", min: "minute", h: "hour" } as const;
export type RateWindow = keyof typeof WINDOWS;

/** A limit in the API's form, such as "600/min". Without a number, it is the limit of the key that creates it. */
export const rateOf = (requests: string, window: RateWindow, ownLimit?: string): string | undefined =>
  requests.trim() === "" ? ownLimit : `${requests.trim()}/${window}`;

/** "600 a minute" */
export const rateLabel = (rate: string): string => {
  const [requests = "", window = ""] = rate.split("/");
  const word = (WINDOWS as Record<string, string>)[window];
  return word === undefined ? rate : `${requests} a${word === "hour" ? "n" : ""} ${word}`;
};

const NO_GRACE = ["0", "Not at all: it expires at once"] as const;
/** In seconds. */
const GRACES = [
  ["3600", "For an hour"],
  ["86400", "For a day"],
  ["604800", "For a week"],
  ["2592000", "For 30 days"],
] as const;

/** A day. */
export const DEFAULT_GRACE = "86400";

/**
 * How long an old secret may remain valid, in seconds and in words. If it is the secret of this session, it does not expire
 * immediately: that would sign the user out before they could read the new one.
 */
export const gracesOf = (isOwn: boolean): readonly (readonly [seconds: string, words: string])[] =>
  isOwn ? GRACES : [NO_GRACE, ...GRACES];
