#!/usr/bin/env bun
import { run } from "./cli/run.ts";

const main = async (): Promise<void> => {
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
