import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { processRecordPath } from "../../src/data/data-dir/process-record.ts";
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

/** Starts a server by a script that redirects its standard output, and stops it once it serves. @returns its exit code */
const exitCodeOf = async (script: string): Promise<number> => {
  const dataDir = temporaryDirectory();
  const argv = ["sh", "-c", script, ...(await bundledProgram()), "serve", "--port", "0"];
  await using server = Bun.spawn(argv, {
    cwd: temporaryDirectory(),
    env: { PATH: process.env["PATH"] ?? "", DATA_DIR: dataDir, LOG_LEVEL: "trace" },
    stdin: "ignore",
    stdout: "ignore",
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
  ["is full", 'exec "$0" "$@" >/dev/full'],
  [
    "is a full pipe that no process reads",
    'mkfifo pipe; exec 3<>pipe; timeout 0.2 cat /dev/zero >&3; exec "$0" "$@" >&3',
  ],
  ["is a pipe whose reader has ended", 'mkfifo pipe; exec 3<>pipe; exec 4>pipe 3<&-; exec "$0" "$@" >&4'],
])(
  "SIGTERM ends a server whose standard output %s with exit code 0",
  async (_, script) => {
    expect(await exitCodeOf(script)).toBe(0);
  },
  60_000,
);
