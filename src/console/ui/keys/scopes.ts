import type { components } from "../../../client/types/platform.d.ts";

/** What a key may be allowed to do; `*` is everything. */
export type Grant = components["schemas"]["Key"]["scopes"][number];
export type Scope = Exclude<Grant, "*">;

/** The API's descriptions. */
export const SCOPES: Record<Scope, string> = {
  "pets:read": "read animals and categories",
  "pets:write": "add, change and delete animals and categories",
  "orders:read": "read orders",
  "orders:write": "place and change orders",
  "platform:read": "read projects, deploys and domains",
  "platform:write": "change projects, deploys and domains",
  "metrics:read": "read /metrics",
  "audit:read": "read the audit log: who changed what",
  "keys:admin": "create, list, rotate and revoke API keys",
};

/** In the order of the form. */
export const GRANTS: readonly Grant[] = ["*", ...(Object.keys(SCOPES) as Scope[])];

export const meaningOf = (grant: Grant): string =>
  grant === "*" ? "do everything, including what later versions add" : SCOPES[grant];

/** A key grants only what it holds itself. */
export const mayGrant = (own: readonly Grant[], grant: Grant): boolean =>
  own.includes("*") || own.includes(grant);

/** The scopes to request. Everything includes all others. */
export const grantsOf = (chosen: ReadonlySet<Grant>): Grant[] =>
  chosen.has("*") ? ["*"] : GRANTS.filter((grant) => chosen.has(grant));
