import { type Rate, isWithinRate } from "../lib/rate-limiter.ts";
import type { Actor } from "../lib/actor.ts";
import { type Grant, holds } from "../http/scopes.ts";

/** The scopes of a key, its end, and its rate limit. */
export interface Privileges {
  scopes: ReadonlySet<Grant>;
  /** Milliseconds UTC; undefined: it never expires. */
  expiresAt?: number | undefined;
  /** Undefined: no limit. */
  rate?: Rate | undefined;
}

/** The manager of keys or people, with their own privileges. */
export type Manager = Actor & Privileges;

/** How one key's privileges exceed another's. */
export type Excess =
  { kind: "scope"; scope: Grant } | { kind: "lifetime"; end: number } | { kind: "rate"; rate: Rate };

/**
 * Enforces that no key creates, rotates or revokes a key with more privileges than its own.
 * @returns how `other` exceeds `own`; undefined if it does not
 */
export const findExcess = (own: Privileges, other: Privileges): Excess | undefined => {
  const scope = [...other.scopes].find((one) => !holds(own, one));
  if (scope !== undefined) return { kind: "scope", scope };
  if (own.expiresAt !== undefined && (other.expiresAt ?? Number.POSITIVE_INFINITY) > own.expiresAt)
    return { kind: "lifetime", end: own.expiresAt };
  if (own.rate && !(other.rate && isWithinRate(own.rate, other.rate)))
    return { kind: "rate", rate: own.rate };
  return undefined;
};
