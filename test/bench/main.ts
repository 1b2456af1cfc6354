import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "./bench.ts";
import { bulk } from "./bulk.ts";
import { cluster } from "./cluster.ts";
import { consolePage } from "./console.ts";
import { databases } from "./databases.ts";
import { domains } from "./domains.ts";
import { growth } from "./growth.ts";
import { issuance } from "./issuance.ts";
import { machine, today } from "./machine.ts";
import { withAll, withSome, writePage } from "./manual.ts";
import { memory } from "./memory.ts";
import { nameserver } from "./nameserver.ts";
import { HELP, type Measurement, MEASUREMENTS, type Options, Refused, readOptions } from "./options.ts";
import { stopAll } from "./processes.ts";
import { read } from "./read.ts";
import { assertTools, executable } from "./requirements.ts";
import { site } from "./site.ts";
import { start } from "./start.ts";
import { streams } from "./streams.ts";
import { tls } from "./tls.ts";
import { workers } from "./workers.ts";
import { write } from "./write.ts";

const MEASURE: Record<Measurement, (bench: Bench) => Promise<string>> = {
  read,
  write,
  workers,
  cluster,
  growth,
  site,
  tls,
  domains,
  issuance,
  nameserver,
  console: consolePage,
  bulk,
  memory,
  streams,
  start,
};

const measure = async ({ only, quick, build, manual, pace }: Options, directory: string): Promise<void> => {
  const program = await executable(directory, build);
  const bench = {
    executable: program,
    directory,
    databases: await databases(program, directory),
    pace,
    quick,
  };
  const sections: string[] = [];
  const say = (section: string) => {
    sections.push(section);
    console.log(section);
  };
  say(machine(directory));
  for (const name of MEASUREMENTS.filter((name) => only.has(name))) {
    console.error(`measuring: ${name}`);
    const began = performance.now();
    say(await MEASURE[name](bench));
    console.error(`measured: ${name}, ${((performance.now() - began) / 60_000).toFixed(1)} min`);
  }
  const measured = sections.join("\n");
  const isWhole = only.size === MEASUREMENTS.length;
  if (manual)
    await writePage((page) => (isWhole ? withAll(page, measured) : withSome(page, measured, today())));
};

/** Gives the work a directory, and removes it with every process of this run, also on Ctrl-C. */
const cleanly = async (parent: string, work: (directory: string) => Promise<void>): Promise<void> => {
  const directory = mkdtempSync(join(parent, "adoption-store-bench-"));
  const clean = async () => {
    await stopAll();
    rmSync(directory, { recursive: true, force: true });
  };
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)
    process.once(signal, () => void clean().finally(() => process.exit(code)));
  try {
    await work(directory);
  } finally {
    await clean();
  }
};

const main = async (): Promise<void> => {
  try {
    const options = readOptions(process.argv.slice(2));
    if (options.help) return console.log(HELP);
    assertTools(options.only);
    await cleanly(options.directory, (directory) => measure(options, directory));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    console.error(`bench: ${error.message}`);
    process.exitCode = 1;
  }
};

void main();
