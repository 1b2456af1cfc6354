import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { processRecordPath } from "../../src/data-dir/process-record.ts";
import { stopRequest } from "../../src/cli/signals.ts";
import { bundledProgram } from "../support/program.ts";
import { temporaryDirectory } from "../support/store.ts";

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s lets a command end by itself, with %d", (signal, code) => {
  using stop = stopRequest();
  process.emit(signal);
  expect(stop.code()).toBe(code);
});

test("SIGHUP sent twice, as by a closing terminal, does not end a command midway", () => {
  using stop = stopRequest();
  process.emit("SIGHUP");
  process.emit("SIGHUP");
  expect(stop.code()).toBe(129);
});

test.skipIf(process.platform !== "linux")("a command started with nohup ignores SIGHUP", () => {
  const file = JSON.stringify(resolve(import.meta.dir, "../../src/cli/signals.ts"));
  const script = `const { stopSignals } = await import(${file}); console.log(stopSignals().join(" "));`;
  const ended = Bun.spawnSync(["sh", "-c", 'trap "" HUP; exec "$0" -e "$1"', process.execPath, script]);
  expect(ended.stdout.toString().trim()).toBe("SIGINT,130 SIGTERM,143");
});

/** Starts a server with this standard output, and stops it once it serves. @returns its exit code */
const exitCodeOf = async (stdout: "pipe" | Bun.BunFile): Promise<number> => {
  const dataDir = temporaryDirectory();
  await using server = Bun.spawn([...(await bundledProgram()), "serve", "--port", "0"], {
    env: { DATA_DIR: dataDir, LOG_LEVEL: "trace" },
    stdin: "ignore",
    stdout,
    stderr: "ignore",
  });
  while (!existsSync(processRecordPath(dataDir))) {
    if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`);
    await Bun.sleep(20);
  }
  server.kill("SIGTERM");
  return await server.exited;
};

test.skipIf(process.platform !== "linux").each([
  ["is full", () => Bun.file("/dev/full")],
  ["has no reader", () => "pipe" as const],
])(
  "SIGTERM ends a server whose standard output %s with exit code 0",
  async (_, output) => {
    expect(await exitCodeOf(output())).toBe(0);
  },
  60_000,
);
