import type { Pace } from "./options.ts";
import { type Server, cpuSeconds, resident } from "./processes.ts";
import { type Load, drive } from "./wrk.ts";

/** What one run of one contestant showed. */
export interface Sample {
  /** Requests a second. */
  rate: number;
  /** Latencies in microseconds. */
  p50: number;
  p99: number;
  /** Microseconds of CPU time, user and system, that the server spent on a request. */
  cpu: number;
  /** Resident memory afterwards, in bytes. */
  memory: number;
}

export interface Contestant {
  name: string;
  server: Server;
  load: Load;
}

/** Drives a server once. */
export const sample = async ({ server, load }: Contestant, seconds: number): Promise<Sample> => {
  const before = cpuSeconds(server.pid);
  const { requests, seconds: took, p50, p99 } = await drive(server, load, seconds);
  const cpu = ((cpuSeconds(server.pid) - before) / requests) * 1e6;
  return { rate: requests / took, p50, p99, cpu, memory: resident(server.pid) };
};

/** Every contestant's samples, one a round. */
export type Results<Quantity extends string = keyof Sample> = ReadonlyMap<
  string,
  readonly Readonly<Record<Quantity, number>>[]
>;

/**
 * Measures the contestants in turn, round after round, so that what else the machine does strikes all alike; every other
 * round goes backwards.
 */
export const inTurn = async <One extends { name: string }, Quantity extends string>(
  contestants: readonly One[],
  rounds: number,
  measure: (one: One) => Promise<Record<Quantity, number>>,
): Promise<Results<Quantity>> => {
  const results = new Map(contestants.map(({ name }) => [name, [] as Record<Quantity, number>[]]));
  for (let round = 0; round < rounds; round++) {
    console.error(`  round ${round + 1} of ${rounds}`);
    for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed())
      results.get(contestant.name)?.push(await measure(contestant));
  }
  return results;
};

/** Drives the contestants' servers in turn, after each has warmed up. */
export const contest = async (
  contestants: readonly Contestant[],
  { rounds, seconds, warmUp }: Pace,
): Promise<Results> => {
  for (const { server, load } of contestants) await drive(server, load, warmUp);
  return inTurn(contestants, rounds, (contestant) => sample(contestant, seconds));
};

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle) - 1] ?? Number.NaN)) / 2;
};

const samplesOf = <Quantity extends string>(results: Results<Quantity>, name: string) =>
  results.get(name) ?? [];

export const medianOf = <Quantity extends string>(
  results: Results<Quantity>,
  name: string,
  quantity: Quantity,
): number => median(samplesOf(results, name).map((sample) => sample[quantity]));

/** The ratio of two contestants within each round, and of these the median. */
export const ratioOf = <Quantity extends string>(
  results: Results<Quantity>,
  name: string,
  base: string,
  quantity: Quantity,
): number => {
  const bases = samplesOf(results, base);
  return median(
    samplesOf(results, name).map(
      (sample, round) => sample[quantity] / (bases[round]?.[quantity] ?? Number.NaN),
    ),
  );
};
