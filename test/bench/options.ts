import { parseArgs } from "node:util";

export const MEASUREMENTS = [
  "read",
  "write",
  "growth",
  "site",
  "tls",
  "domains",
  "nameserver",
  "console",
  "bulk",
  "memory",
  "start",
] as const;
export type Measurement = (typeof MEASUREMENTS)[number];

export const HELP = `Measures the executable: bun run bench [options]

  --only <names>   some of ${MEASUREMENTS.join(",")} (default: all)
  --quick          shorter and fewer rounds
  --no-build       measure dist/adoption-store as it is
  --dir <path>     where the temporary databases go; a disk, or fsync costs nothing (default: /var/tmp)
  --help           this text

The tables go to standard output, the progress to standard error. A target that is missed is printed as such, and is no
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
  help: boolean;
  pace: Pace;
}

/** The command line was wrong, or something is missing; the message says what to do. */
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
  const { only, quick, dir, help, "no-build": noBuild } = parsed(args);
  return {
    only: selected(only),
    quick,
    build: !noBuild,
    directory: dir,
    help,
    pace: quick ? { rounds: 3, seconds: 2, warmUp: 2 } : { rounds: 7, seconds: 4, warmUp: 5 },
  };
};
