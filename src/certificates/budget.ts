/** Let's Encrypt's published limits (letsencrypt.org/docs/rate-limits), kept for every CA. Durations are milliseconds. */

const HOUR = 60 * 60_000;
const WEEK = 7 * 24 * HOUR;

export const ATTEMPTS = ["order", "refused", "issued"] as const;

/** An event that counts towards a CA's limits. */
export interface Attempt {
  kind: (typeof ATTEMPTS)[number];
  hostname: string;
  /** The registered domain of the host name. */
  apex: string;
  at: number;
}

interface Limit {
  kind: Attempt["kind"];
  /** Attempts with the same value count together. */
  per: "hostname" | "apex" | "account";
  max: number;
  withinMs: number;
  description: string;
}

export const LIMITS: readonly Limit[] = [
  {
    kind: "refused",
    per: "hostname",
    max: 5,
    withinMs: HOUR,
    description: "failed attempts for this name in an hour",
  },
  {
    kind: "issued",
    per: "hostname",
    max: 5,
    withinMs: WEEK,
    description: "certificates for this name in a week",
  },
  {
    kind: "issued",
    per: "apex",
    max: 50,
    withinMs: WEEK,
    description: "certificates below its registered domain in a week",
  },
  {
    kind: "order",
    per: "account",
    max: 300,
    withinMs: 3 * HOUR,
    description: "orders of this service in three hours",
  },
];

/** Attempts older than this no longer count. */
export const MAX_WINDOW_MS = WEEK;

/** The limit that forbids an order now, and when it ends. */
export interface ExhaustedLimit {
  detail: string;
  until: number;
}

const isSame = (per: Limit["per"], one: Attempt, other: Pick<Attempt, "hostname" | "apex">): boolean =>
  per === "account" || one[per] === other[per];

/** @param attempts at one CA, in any order @returns the limit that ends last; undefined if none is exhausted */
export const findExhaustedLimit = (
  { isRenewal, ...name }: Pick<Attempt, "hostname" | "apex"> & { isRenewal: boolean },
  attempts: readonly Attempt[],
  now: number,
): ExhaustedLimit | undefined =>
  // CAs do not count renewals, so renewals do not wait for them.
  LIMITS.filter(({ kind }) => !(isRenewal && kind === "issued"))
    .flatMap(({ kind, per, max, withinMs, description }) => {
      const counted = attempts
        .filter((one) => one.kind === kind && one.at > now - withinMs && isSame(per, one, name))
        .map(({ at }) => at)
        .toSorted((one, other) => other - one);
      const oldest = counted[max - 1];
      return oldest === undefined
        ? []
        : [{ detail: `${max} ${description} are allowed.`, until: oldest + withinMs }];
    })
    .toSorted((one, other) => other.until - one.until)[0];
