import type { components } from "../../../client/types/platform.d.ts";
import { PERMISSIONS } from "./words.ts";

/** What a key may be allowed to do; `*` is everything. */
export type Grant = components["schemas"]["Key"]["scopes"][number];

/** In the order of the form. */
export const GRANTS = Object.keys(PERMISSIONS) as readonly Grant[];

/** A key grants only what it holds itself. */
export const mayGrant = (own: readonly Grant[], grant: Grant): boolean =>
  own.includes("*") || own.includes(grant);

/** The scopes to request. Everything includes all others. */
export const grantsOf = (chosen: ReadonlySet<Grant>): Grant[] =>
  chosen.has("*") ? ["*"] : GRANTS.filter((grant) => chosen.has(grant));
