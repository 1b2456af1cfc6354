import { until } from "../support.ts";
import { type Ledger, longestPause } from "./ledger.ts";

/** Something that is killed with -9 and started again. */
export interface Victim {
  kill(): Promise<void>;
  /** Resolves when it does its work again. */
  start(): Promise<void>;
}

export interface Kill {
  what: string;
  victims: readonly Victim[];
}

/** How long the clients work before, and after each kill until what was killed starts again. */
const WORK_MS = 700;
/** How long they may get nothing done before the test ends. */
const MAX_PAUSE_MS = 20_000;

export interface Pause {
  what: string;
  /** The longest time in which no write of any client was acknowledged. */
  ms: number;
}

/** Kills one after the other while clients work. @returns how long the service paused at each */
export const killEach = async (
  ledger: Pick<Ledger, "successes">,
  kills: readonly (() => Promise<Kill>)[],
): Promise<Pause[]> => {
  const pauses: Pause[] = [];
  for (const next of kills) {
    await Bun.sleep(WORK_MS);
    const { what, victims } = await next();
    const begun = performance.now();
    await Promise.all(victims.map((victim) => victim.kill()));
    const killed = performance.now();
    await Bun.sleep(WORK_MS);
    await Promise.all(victims.map((victim) => victim.start()));
    const isBack = () => (ledger.successes.at(-1) ?? 0) > killed + WORK_MS;
    await until(`writes are acknowledged after a kill of the ${what}`, isBack, MAX_PAUSE_MS);
    pauses.push({ what, ms: longestPause(ledger.successes, begun, performance.now()) });
  }
  return pauses;
};

const median = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length / 2)] ?? 0;

/** `engine leader: 5 kills, pause 0.74 s in the median, 1.57 s at worst`, a line for each sort of kill. */
export const describePauses = (pauses: readonly Pause[]): string[] =>
  [...Map.groupBy(pauses, ({ what }) => what)].map(([what, all]) => {
    const times = all.map(({ ms }) => ms).toSorted((a, b) => a - b);
    const seconds = (ms = 0) => `${(ms / 1000).toFixed(2)} s`;
    return `${what}: ${all.length} kills, pause ${seconds(median(times))} in the median, ${seconds(times.at(-1))} at worst`;
  });
