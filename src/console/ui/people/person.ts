import { useQuery } from "@tanstack/preact-query";
import type { components } from "../../../client/types/platform.d.ts";
import { dataOf, pageOf, platform } from "../api/client.ts";
import { useList } from "../parts/queries.ts";
import { callAuth } from "../passkeys.ts";
import type { User } from "../session.tsx";

export type Person = components["schemas"]["Person"];
export type InvitedPerson = components["schemas"]["InvitedPerson"];
export type Passkey = components["schemas"]["Passkey"];
/** A session of the user, as the console's endpoint lists it. */
export interface OwnSession {
  id: string;
  /** Absent for sessions of earlier versions, as is `openedAt`. */
  device?: string;
  openedAt?: string;
  lastUsedAt: string;
  isCurrent: boolean;
}

export type Role = Person["role"];

/** The scopes of each role, as the API has them. */
const ROLE_SCOPES: Record<Role, User["scopes"]> = {
  volunteer: ["pets:read", "orders:read", "orders:write"],
  staff: ["pets:read", "pets:write", "orders:read", "orders:write"],
  administrator: ["*"],
};

type Manager = Pick<User, "scopes" | "expiresAt" | "rateLimit">;

/** True if the page offers to give this role, or to change people with it: no user grants more than they hold. */
export const mayManage = ({ scopes, expiresAt, rateLimit }: Manager, role: Role): boolean =>
  expiresAt === undefined &&
  rateLimit === undefined &&
  (scopes.includes("*") || ROLE_SCOPES[role].every((scope) => scopes.includes(scope)));

export const isSelf = (user: Pick<User, "kind" | "id">, { id }: Pick<Person, "id">): boolean =>
  user.kind === "person" && user.id === id;

/** The state of an invitation that was not accepted. @param now milliseconds UTC */
export const invitationOf = ({ invitedUntil }: Person, now: number): "none" | "open" | "expired" => {
  if (invitedUntil === undefined) return "none";
  return Date.parse(invitedUntil) > now ? "open" : "expired";
};

/** The host of an OpenID Connect issuer, which is how people know it. */
export const issuerName = (issuer: string): string => (URL.canParse(issuer) ? new URL(issuer).host : issuer);

/** The cache key of everything about people. */
export const PEOPLE = ["people"] as const;
/** The cache key of one's own passkeys. */
export const OWN_PASSKEYS = ["own passkeys"] as const;

/** The cache key of one's own sessions. */
export const OWN_SESSIONS = ["own sessions"] as const;

export const PATH = "/console/people";
export const YOU_PATH = "/console/you";

/** All people, page by page. */
export const usePeople = () =>
  useList([...PEOPLE, "list"], (cursor, limit) =>
    pageOf(platform.GET("/platform/people", { params: { query: { limit, ...(cursor && { cursor }) } } })),
  );

/** One person. @param id from the address */
export const usePerson = (id: string) =>
  useQuery({
    queryKey: [...PEOPLE, id],
    queryFn: () =>
      dataOf(platform.GET("/platform/people/{personId}", { params: { path: { personId: Number(id) } } })),
  });

export const useOwnPasskeys = () =>
  useQuery({ queryKey: OWN_PASSKEYS, queryFn: () => callAuth<Passkey[]>("GET", "passkeys") });

export const useOwnSessions = () =>
  useQuery({ queryKey: OWN_SESSIONS, queryFn: () => callAuth<OwnSession[]>("GET", "sessions") });
