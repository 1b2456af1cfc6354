import { join } from "node:path";
import { type Bench, freePort } from "./bench.ts";
import { median } from "./contest.ts";
import { Refused } from "./options.ts";
import { environment, launch } from "./processes.ts";
import { atMost, section, whole } from "./table.ts";

const ANIMALS = 100_000;
const MAX_MS = 150;
const LONGEST_MS = 20_000;

const isLive = (url: string): Promise<boolean> =>
  // A connection kept open would make the server wait for it when it stops.
  fetch(url, { keepalive: false }).then(
    ({ status }) => status === 200,
    () => false,
  );

/** Milliseconds from spawning the executable to its first answer. */
export const firstAnswer = async (
  { executable, directory }: Bench,
  dataDir: string,
  more: Record<string, string> = {},
): Promise<number> => {
  const port = await freePort();
  const settings = { DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: "warn", ...more };
  const began = performance.now();
  const child = launch([executable, "serve"], {
    cwd: directory,
    env: environment(settings),
    output: "ignore",
  });
  while (!(await isLive(`http://127.0.0.1:${port}/livez`))) {
    if (child.exitCode !== null || performance.now() - began > LONGEST_MS)
      throw new Refused(`the executable did not start in ${dataDir}`);
    await Bun.sleep(1);
  }
  const took = performance.now() - began;
  child.kill("SIGTERM");
  await child.exited;
  return took;
};

const several = async (runs: number, once: (run: number) => Promise<number>): Promise<number[]> => {
  const found: number[] = [];
  for (let run = 0; run < runs; run++) found.push(await once(run));
  return found;
};

const row = (name: string, times: readonly number[]) => [
  name,
  `${whole(median(times))} ms`,
  `${whole(Math.min(...times))} to ${whole(Math.max(...times))} ms`,
  atMost(median(times), MAX_MS, " ms"),
];

/** How long the executable takes to answer for the first time. */
export const start = async (bench: Bench): Promise<string> => {
  const runs = bench.quick ? 5 : 15;
  const data = bench.databases.make("start", ANIMALS);
  const filled = await several(runs, () => firstAnswer(bench, data.path));
  const empty = await several(runs, (run) => firstAnswer(bench, join(bench.directory, `start-${run}`)));
  return section(
    "Start: from spawning the executable to its first response",
    `\`GET /livez\`, ${runs} starts each.`,
    [
      ["DATA_DIR", "median", "range", "target (median)"],
      row(`a database with ${whole(ANIMALS)} animals`, filled),
      row("an empty directory", empty),
    ],
  );
};
