import type { Grant } from "../lib/scopes.ts";

/** What the people of each role may do. The manual shows this table. */
export const ROLES = {
  volunteer: ["pets:read", "orders:read", "orders:write"],
  staff: ["pets:read", "pets:write", "orders:read", "orders:write"],
  administrator: ["*"],
} as const satisfies Record<string, readonly Grant[]>;

export type Role = keyof typeof ROLES;

export const ROLE_NAMES = Object.keys(ROLES) as [Role, ...Role[]];

const SCOPES_OF = Object.fromEntries(
  Object.entries(ROLES).map(([role, grants]) => [role, new Set<Grant>(grants)]),
) as unknown as Record<Role, ReadonlySet<Grant>>;

export const scopesOf = (role: Role): ReadonlySet<Grant> => SCOPES_OF[role];

export const isRole = (text: string): text is Role => Object.hasOwn(ROLES, text);
