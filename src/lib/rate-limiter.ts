import type { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { Fault } from "./errors.ts";

/** A limit of `points` in a window of `seconds`. */
export interface Window {
  points: number;
  seconds: number;
}

export interface RateLimiter {
  /** Counts one; the headers to send with the answer. @throws Fault rate_limited */
  take(who: string, window: Window): Promise<Record<string, string>>;
}

/** draft-ietf-httpapi-ratelimit-headers-10: the policy, and what is left of it. */
const headersFor = (name: string, window: Window, left: RateLimiterRes): Record<string, string> => ({
  "ratelimit-policy": `"${name}";q=${window.points};w=${window.seconds}`,
  ratelimit: `"${name}";r=${left.remainingPoints};t=${Math.ceil(left.msBeforeNext / 1000)}`,
});

/** What the library throws in place of an error. */
const isRefusal = (thrown: unknown): thrown is RateLimiterRes =>
  typeof thrown === "object" && thrown !== null && "msBeforeNext" in thrown;

/** Counts in memory, by fixed windows that start with a client's first. `name` appears in headers, `counted` in messages. */
export const rateLimiter = (name: string, counted: string): RateLimiter => {
  const windows = new Map<string, RateLimiterMemory>();
  const add = async (form: string, { points, seconds }: Window) => {
    // Loaded when there is something to count: it brings its stores, 6 ms that a start need not wait for.
    const { RateLimiterMemory } = await import("rate-limiter-flexible");
    // Made once, by whoever is first here.
    const made = windows.get(form) ?? new RateLimiterMemory({ points, duration: seconds, keyPrefix: form });
    windows.set(form, made);
    return made;
  };
  const limiterOf = (window: Window) => {
    const form = `${window.points}/${window.seconds}`;
    return windows.get(form) ?? add(form, window);
  };
  return {
    async take(who, window) {
      try {
        return headersFor(name, window, await (await limiterOf(window)).consume(who));
      } catch (refused) {
        if (!isRefusal(refused)) throw refused;
        const wait = Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
        throw new Fault(
          "rate_limited",
          `Too many ${counted}: ${window.points} in ${window.seconds} s are allowed; try again in ${wait} s.`,
          {
            ...headersFor(name, window, refused),
            "retry-after": String(wait),
          },
        );
      }
    },
  };
};
