#!/usr/bin/env bun
import { run } from "./cli/run.ts";

const main = async (): Promise<void> => {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // A reader that has seen enough, such as `head`, is no error; a full disk is.
    if (error.code === "EPIPE") return;
    process.stderr.write(`adoption-store: cannot write to standard output: ${error.message}\n`);
    process.exitCode = 1;
  });
  const code = await run(process.argv.slice(2));
  process.exitCode ||= code;
};

void main();
