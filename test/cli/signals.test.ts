import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { stopRequest } from "../../src/cli/signals.ts";

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
