import type { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { Fault } from "./errors.ts";

/** A limit of requests in a window. */
export interface Rate {
  requests: number;
  /** The length of the window. */
  seconds: number;
}

/** draft-ietf-httpapi-ratelimit-headers-10: the policy, and the rest of the quota. */
const headersFor = (
  name: string,
  { requests, seconds }: Rate,
  { remainingPoints, msBeforeNext }: RateLimiterRes,
): Record<string, string> => ({
  "ratelimit-policy": `"${name}";q=${requests};w=${seconds}`,
  ratelimit: `"${name}";r=${remainingPoints};t=${Math.ceil(msBeforeNext / 1000)}`,
});

/** The library throws its result, not an error, when the limit is reached. */
const isRefusal = (thrown: unknown): thrown is RateLimiterRes =>
  typeof thrown === "object" && thrown !== null && "msBeforeNext" in thrown;

const refusal = (noun: string, { requests, seconds }: Rate, share: number, wait: number): string => {
  const allowed = share === requests ? `${requests}` : `${requests} on all nodes, and ${share} on this one,`;
  return `Too many ${noun}: ${allowed} in ${seconds} s are allowed; try again in ${wait} s.`;
};

/**
 * Counts in memory, in fixed windows: a client's window starts with its first request. The nodes of a cluster do not ask each
 * other: each allows an equal share.
 * @param name appears in headers
 * @param noun appears in messages: "Too many requests"
 * @param nodes how many nodes currently share the limit
 */
export const rateLimiter = (name: string, noun: string, nodes: () => number = () => 1) => {
  const limiters = new Map<string, RateLimiterMemory>();
  const add = async (policy: string, { requests, seconds }: Rate) => {
    // Imported for the first request, so that it does not slow down the start.
    const { default: RateLimiterMemory } = await import("rate-limiter-flexible/lib/RateLimiterMemory.js");
    // Another request may have added it during the import.
    const limiter =
      limiters.get(policy) ??
      new RateLimiterMemory({ points: requests, duration: seconds, keyPrefix: policy });
    limiters.set(policy, limiter);
    return limiter;
  };
  const limiterFor = (rate: Rate) => {
    const policy = `${rate.requests}/${rate.seconds}`;
    return limiters.get(policy) ?? add(policy, rate);
  };
  return {
    /** Counts one request. @returns the headers of its response. @throws Fault rate_limited */
    async take(client: string, rate: Rate): Promise<Record<string, string>> {
      const share = { ...rate, requests: Math.ceil(rate.requests / nodes()) };
      const limiter = await limiterFor(rate);
      limiter.points = share.requests;
      try {
        return headersFor(name, share, await limiter.consume(client));
      } catch (thrown) {
        if (!isRefusal(thrown)) throw thrown;
        const wait = Math.max(1, Math.ceil(thrown.msBeforeNext / 1000));
        throw new Fault("rate_limited", refusal(noun, rate, share.requests, wait), {
          ...headersFor(name, share, thrown),
          "retry-after": String(wait),
        });
      }
    },
  };
};

export type RateLimiter = ReturnType<typeof rateLimiter>;

const RATE_UNITS = { s: 1, sec: 1, min: 60, h: 3600, hour: 3600 } as const;
/** A rate as text: `600/min`. */
export const RATE_PATTERN = "^([1-9][0-9]{0,8})/(s|sec|min|h|hour)$";
const RATE_TEXT = new RegExp(RATE_PATTERN);

/** Parses `600/min`, `10/s` or `5000/h`; undefined for anything else. */
export const parseRate = (text: string): Rate | undefined => {
  const match = RATE_TEXT.exec(text);
  if (!match) return undefined;
  return { requests: Number(match[1]), seconds: RATE_UNITS[match[2] as keyof typeof RATE_UNITS] };
};

export const formatRate = ({ requests, seconds }: Rate): string =>
  `${requests}/${seconds === 1 ? "s" : seconds === 60 ? "min" : "h"}`;

/**
 * True if `other` never allows more requests than `own`, neither in the long run nor in a burst: 600/min allows 600 requests
 * in one second.
 */
export const isWithinRate = (own: Rate, other: Rate): boolean =>
  other.requests <= own.requests && other.requests * own.seconds <= own.requests * other.seconds;
