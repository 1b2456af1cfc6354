import type { RandomBytes } from "../lib/random.ts";
import type { Logger } from "../lib/log.ts";
import { type Clock, systemClock } from "../lib/time.ts";

/** System dependencies of the services: time, randomness and the log. Tests replace parts of it. */
export interface Runtime {
  clock: Clock;
  randomBytes: RandomBytes;
  /** From 0 up to 1. */
  randomFraction: () => number;
  sleep: (ms: number) => Promise<void>;
  log: Logger;
}

export const systemRuntime: Omit<Runtime, "log"> = {
  clock: systemClock,
  randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  randomFraction: Math.random,
  sleep: (ms) => Bun.sleep(ms),
};
