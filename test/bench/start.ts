import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Bench, freePort } from "./bench.ts";
import { median } from "./contest.ts";
import { Refused } from "./options.ts";
import { environment, launch } from "./processes.ts";
import { atMost, section, whole } from "./table.ts";

const ANIMALS = 100_000;
const MAX_MS = 60;
/** By then the first key's file is there, too. */
const MAX_KEY_MS = 120;
const LONGEST_MS = 20_000;

const isLive = (url: string): Promise<boolean> =>
  // A connection kept open would make the server wait for it when it stops.
  fetch(url, { keepalive: false }).then(
    ({ status }) => status === 200,
    () => false,
  );

/** Milliseconds from spawning the executable. */
interface Start {
  /** To its first answer. */
  answered: number;
  /** Until the file of the first key exists. */
  keyed: number;
}

/** Starts the executable until it answers and the first key's file exists, and stops it. */
const startOnce = async (
  { executable, directory }: Bench,
  dataDir: string,
  more: Record<string, string> = {},
): Promise<Start> => {
  const port = await freePort();
  const settings = { DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: "warn", ...more };
  const began = performance.now();
  const child = launch([executable, "serve"], {
    cwd: directory,
    env: environment(settings),
    output: "ignore",
  });
  const until = async (isThere: () => boolean | Promise<boolean>): Promise<number> => {
    while (!(await isThere())) {
      if (child.exitCode !== null || performance.now() - began > LONGEST_MS)
        throw new Refused(`the executable did not start in ${dataDir}`);
      await Bun.sleep(1);
    }
    return performance.now() - began;
  };
  const [answered, keyed] = await Promise.all([
    until(() => isLive(`http://127.0.0.1:${port}/livez`)),
    until(() => existsSync(join(dataDir, "admin.key"))),
  ]);
  child.kill("SIGTERM");
  await child.exited;
  return { answered, keyed };
};

/** Milliseconds from spawning the executable to its first answer, in a DATA_DIR that was served before. */
export const firstAnswer = async (
  bench: Bench,
  dataDir: string,
  more: Record<string, string> = {},
): Promise<number> => (await startOnce(bench, dataDir, more)).answered;

const several = async <Result>(runs: number, once: (run: number) => Promise<Result>): Promise<Result[]> => {
  const found: Result[] = [];
  for (let run = 0; run < runs; run++) found.push(await once(run));
  return found;
};

const row = (name: string, times: readonly number[], target: number) => [
  name,
  `${whole(median(times))} ms`,
  `${whole(Math.min(...times))} to ${whole(Math.max(...times))} ms`,
  atMost(median(times), target, " ms"),
];

/** How long the executable takes to answer for the first time. */
export const start = async (bench: Bench): Promise<string> => {
  const runs = bench.quick ? 5 : 15;
  const data = bench.databases.make("start", ANIMALS);
  const filled = await several(runs, () => firstAnswer(bench, data.path));
  const empty = await several(runs, (run) => startOnce(bench, join(bench.directory, `start-${run}`)));
  return section(
    "Start: from spawning the executable to its first response",
    `\`GET /livez\`, ${runs} starts each. The file cache is warm.`,
    [
      ["DATA_DIR", "median", "range", "target (median)"],
      row(`a database with ${whole(ANIMALS)} animals`, filled, MAX_MS),
      row(
        "an empty directory",
        empty.map(({ answered }) => answered),
        MAX_MS,
      ),
      row(
        "an empty directory, to the file of the first key",
        empty.map(({ keyed }) => keyed),
        MAX_KEY_MS,
      ),
    ],
  );
};
