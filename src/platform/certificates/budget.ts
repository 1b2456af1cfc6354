import type { Limit, Limits } from "../../lib/acme-limits.ts";

/** The limits of CAs on orders. Times and durations are milliseconds. */

/** An event that counts towards a CA's limits. */
export type AttemptKind = "order" | "refused" | "issued";

interface Name {
  hostname: string;
  /** The registered domain of the host name. */
  apex: string;
}

const LIMITED = ["failures", "name", "domain", "orders"] as const satisfies (keyof Limits)[];

interface Rule {
  kind: AttemptKind;
  /** Attempts with the same value count together; undefined: all attempts of the account. */
  per?: keyof Name;
  description: string;
}

const RULES: Readonly<Record<keyof Limits, Rule>> = {
  failures: { kind: "refused", per: "hostname", description: "failed attempts for this name" },
  name: { kind: "issued", per: "hostname", description: "certificates for this name" },
  domain: { kind: "issued", per: "apex", description: "certificates below its registered domain" },
  orders: { kind: "order", description: "orders of this service" },
};

/** Attempts of a kind at a CA in a window, for one name, one registered domain, or all. */
export interface Counted {
  hostname?: string | null;
  apex?: string | null;
  kind: AttemptKind;
  since: number;
}

/** When the nth newest attempt was, from 1; undefined if there are fewer. */
export type NthNewest = (counted: Counted, nth: number) => number | undefined;

/** The name that needs a certificate, and why it needs one. */
interface OrderRequest extends Name {
  isRenewal: boolean;
  /** True if it may use the reserve. */
  isPrior: boolean;
}

/** The share of the orders that is reserved for renewals, and for certificates that users request. */
const RESERVE = 1 / 10;

/** The number of a CA's orders in the reserve. */
export const reserveOf = ({ max }: Limit): number => Math.floor(max * RESERVE);

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** "3 hours", for the spans that a limit can have. */
const spanWords = (ms: number): string => {
  const [unit, size] = UNITS.find(([, size]) => ms % size === 0) ?? ["minute", 60_000];
  return ms === size ? `1 ${unit}` : `${ms / size} ${unit}s`;
};

const describe = (limited: keyof Limits, { withinMs }: Limit): string =>
  `${RULES[limited].description} in ${spanWords(withinMs)}`;

/** The limits of a CA in words. */
export const describeLimits = (limits: Limits): { description: string; max: number }[] =>
  LIMITED.flatMap((limited) => {
    const limit = limits[limited];
    return limit ? [{ description: describe(limited, limit), max: limit.max }] : [];
  });

/** @param nthNewest of the attempts at one CA @returns the limit that ends last; undefined if none is exhausted */
export const findExhaustedLimit = (
  limits: Limits,
  { isRenewal, isPrior, ...name }: OrderRequest,
  nthNewest: NthNewest,
  now: number,
) =>
  LIMITED.flatMap((limited) => {
    const limit = limits[limited];
    const { kind, per } = RULES[limited];
    // CAs do not count renewals, so renewals do not wait for them.
    if (!limit || (isRenewal && kind === "issued")) return [];
    const max = kind === "order" && !isPrior ? limit.max - reserveOf(limit) : limit.max;
    const counted = { kind, since: now - limit.withinMs, ...(per && { [per]: name[per] }) };
    const oldest = nthNewest(counted, max);
    const detail = `${limit.max} ${describe(limited, limit)} are allowed.`;
    return oldest === undefined ? [] : [{ detail, until: oldest + limit.withinMs }];
  }).toSorted((a, b) => b.until - a.until)[0];

/** A CA's limit on orders, and the orders in its window, ascending. */
interface OrderBudget {
  limit: Limit;
  orders: readonly number[];
}

/** When the CAs take the next orders. */
interface OrderSlots {
  /** Orders that may be placed now. @param isPrior for those that may use the reserve */
  open(isPrior: boolean): number;
  /** When the order at this place of the queue, from 1, can be placed: an estimate. */
  freeAt(place: number, isPrior: boolean): number;
}

/**
 * @param budgets of all CAs; if empty, orders are unlimited
 * @param started the number of attempts that are about to place an order, at any of the CAs
 */
export const orderSlots = (budgets: readonly OrderBudget[], started: number, now: number): OrderSlots => {
  const longestMs = Math.max(0, ...budgets.map(({ limit }) => limit.withinMs));
  const slotsFor = (isPrior: boolean) => {
    const leaving: number[] = [];
    let size = budgets.length === 0 ? Infinity : 0;
    for (const { limit, orders } of budgets) {
      const own = limit.max - (isPrior ? 0 : reserveOf(limit));
      size += own;
      // Orders beyond a CA's own share free no slot when they leave the window.
      for (const at of orders.slice(-own)) leaving.push(at + limit.withinMs);
    }
    leaving.sort((a, b) => a - b);
    return { size, leaving: [...leaving, ...Array<number>(started).fill(now + longestMs)].slice(-size) };
  };
  const [shared, all] = [slotsFor(false), slotsFor(true)];
  return {
    open: (isPrior) => (isPrior ? all.size - all.leaving.length : shared.size - shared.leaving.length),
    freeAt(place, isPrior) {
      const { size, leaving } = isPrior ? all : shared;
      const at = leaving[((place - 1) % size) - (size - leaving.length)] ?? now;
      return at + Math.floor((place - 1) / size) * longestMs;
    },
  };
};
