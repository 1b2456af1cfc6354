export interface Clock {
  /** Milliseconds UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
