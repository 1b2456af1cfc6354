#!/usr/bin/env bun
import { run } from "./cli/run.ts";

const main = async (): Promise<void> => {
  // A reader that has seen enough, such as `head`, is no error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  process.exitCode = await run(process.argv.slice(2));
};

void main();
