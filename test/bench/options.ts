import { parseArgs } from "node:util";

export const MEASUREMENTS = [
  "read",
  "write",
  "workers",
  "cluster",
  "growth",
  "site",
  "tls",
  "domains",
  "issuance",
  "nameserver",
  "console",
  "bulk",
  "memory",
  "streams",
  "start",
] as const;
export type Measurement = (typeof MEASUREMENTS)[number];

/** What each part measures, and about how many minutes it takes on two cores. */
const PARTS: Record<Measurement, readonly [text: string, minutes: number]> = {
  read: ["lists compared with Hono, Fastify and PocketBase", 3],
  write: ["durable writes compared with PocketBase", 1],
  workers: ["one process compared with one per core", 2],
  cluster: ["nodes over etcd and PostgreSQL compared with one machine", 4],
  growth: ["pages of 1,000,000 animals; pages, searches and writes of 10,000,000, with 10 GB in --dir", 20],
  site: ["a page of a site compared with Caddy", 1],
  tls: ["HTTPS compared with Caddy", 3],
  domains: ["HTTPS with 10,000 certificates", 2],
  issuance: ["1,000 custom domains from added to live", 5],
  nameserver: ["DNS compared with BIND", 2],
  console: ["the first paint of the console in Chromium", 1],
  bulk: ["import and export of 1,000,000 rows", 3],
  memory: ["resident memory over 1,000,000 requests", 2],
  streams: ["an event to 2,000 open streams on one core", 1],
  start: ["starts, with animals and without", 1],
};

const parts = MEASUREMENTS.map((name) => {
  const [text, minutes] = PARTS[name];
  return `  ${name.padEnd(13)}${String(minutes).padStart(2)} min  ${text}`;
});

export const HELP = `Measures the executable: bun run bench [options]

  --only <names>   some of the parts below, with commas (default: all)
  --quick          shorter and fewer rounds, and without 10,000,000 animals
  --no-build       measure dist/adoption-store as it is
  --dir <path>     where the temporary databases go; a disk, or fsync costs nothing (default: /var/tmp)
  --manual         also write the tables into src/pages/manual/background/performance.md; then: bun run format
  --help           this text

Parts, and about how long each takes:
${parts.join("\n")}

Needs Linux, wrk, h2load, Caddy, Go, BIND, dnsperf, Chromium, taskset, etcd and PostgreSQL, each for some parts. What is
missing is named first, with how to install it; only the engines of the part cluster are left out by name. Peers come from npm
(test/bench/peers/bun.lock), the Go module proxy (test/bench/peers/pocketbase/go.sum) and Debian (caddy, bind9).

The tables go to standard output, the progress to standard error. A target that is missed is printed as such, and is not a
failure: the exit code is 0.`;

/** How long a contest takes, in seconds a run. */
export interface Pace {
  rounds: number;
  seconds: number;
  warmUp: number;
}

export interface Options {
  only: ReadonlySet<Measurement>;
  quick: boolean;
  build: boolean;
  directory: string;
  /** Writes the tables into the manual. */
  manual: boolean;
  help: boolean;
  pace: Pace;
}

/** The command line was wrong, or something is missing; the message has advice. */
export class Refused extends Error {
  override name = "Refused";
}

const isMeasurement = (word: string): word is Measurement =>
  (MEASUREMENTS as readonly string[]).includes(word);

const selected = (words: string): ReadonlySet<Measurement> => {
  const names = words.split(",").map((word) => word.trim());
  const wrong = names.find((name) => !isMeasurement(name));
  if (wrong !== undefined)
    throw new Refused(`--only: "${wrong}" is none of ${MEASUREMENTS.join(", ")}; see --help`);
  return new Set(names.filter(isMeasurement));
};

const SETTINGS = {
  only: { type: "string", default: MEASUREMENTS.join(",") },
  quick: { type: "boolean", default: false },
  "no-build": { type: "boolean", default: false },
  dir: { type: "string", default: "/var/tmp" },
  manual: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

const parsed = (args: string[]) => {
  try {
    return parseArgs({ args, options: SETTINGS }).values;
  } catch (error) {
    throw new Refused(`${error instanceof Error ? error.message : String(error)}; see --help`, {
      cause: error,
    });
  }
};

/** @throws Refused */
export const readOptions = (args: string[]): Options => {
  const { only, quick, dir, help, manual, "no-build": noBuild } = parsed(args);
  if (manual && quick) throw new Refused("--manual needs the full rounds: leave --quick out");
  return {
    only: selected(only),
    quick,
    build: !noBuild,
    directory: dir,
    manual,
    help,
    pace: quick ? { rounds: 3, seconds: 2, warmUp: 2 } : { rounds: 5, seconds: 3, warmUp: 3 },
  };
};
