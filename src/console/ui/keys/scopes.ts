import type { components } from "../api/platform.d.ts";

/** What a key may be allowed to do; `*` is everything. */
export type Grant = components["schemas"]["Key"]["scopes"][number];
export type Scope = Exclude<Grant, "*">;

/** In the words of the API's documentation. */
export const SCOPES: Record<Scope, string> = {
  "pets:read": "list and fetch animals",
  "pets:write": "add and change animals",
  "orders:read": "read orders",
  "orders:write": "place and change orders",
  "platform:read": "read projects, deploys and domains",
  "platform:write": "change projects, deploys and domains",
  "metrics:read": "read /metrics",
  "keys:admin": "create, list, rotate and revoke API keys",
};

/** In the order that they are offered in. */
export const GRANTS: readonly Grant[] = ["*", ...(Object.keys(SCOPES) as Scope[])];

export const meaningOf = (grant: Grant): string =>
  grant === "*" ? "do everything, in later versions too" : SCOPES[grant];

/** Nobody hands out what his own key does not hold. */
export const mayGrant = (own: readonly Grant[], grant: Grant): boolean =>
  own.includes("*") || own.includes(grant);

/** What is asked for: everything takes in all the rest. */
export const grantsOf = (chosen: ReadonlySet<Grant>): Grant[] =>
  chosen.has("*") ? ["*"] : GRANTS.filter((grant) => chosen.has(grant));
