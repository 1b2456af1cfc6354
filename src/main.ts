#!/usr/bin/env bun
import { scaleHeap } from "./cli/heap.ts";
import { WORKER } from "./edge/workers/argument.ts";

/** Commands that use much memory. Global options may stand before them. */
const HEAVY: ReadonlySet<string> = new Set(["serve", "import", "export"]);

const main = async (): Promise<void> => {
  // A worker loads no command.
  if (process.argv[2] === WORKER) return (await import("./app/worker.ts")).runWorker();
  if (process.argv.slice(2).some((argument) => HEAVY.has(argument))) scaleHeap();
  // Loaded now and not before: what `scaleHeap` replaces has loaded next to nothing.
  const { run } = await import("./cli/run.ts");
  // What cannot be written is lost, and nothing else: a reader that has seen enough, such as `head`, is no error, and a
  // full disk under the log must not end the server.
  process.stderr.on("error", () => {});
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" || process.exitCode === 1) return;
    process.exitCode = 1;
    process.stderr.write(`adoption-store: cannot write to standard output: ${error.message}\n`);
  });
  const code = await run(process.argv.slice(2));
  process.exitCode ||= code;
};

void main();
