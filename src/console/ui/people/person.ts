import type { components } from "../../../client/types/platform.d.ts";
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
export const ROLE_SCOPES: Record<Role, User["scopes"]> = {
  volunteer: ["pets:read", "orders:read", "orders:write"],
  staff: ["pets:read", "pets:write", "orders:read", "orders:write"],
  administrator: ["*"],
};

type Manager = Pick<User, "scopes" | "expiresAt" | "rateLimit">;

/** True if the page offers to give this role, or to change people with it: nobody grants more than they hold. */
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
