import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import pino from "pino";
import { startPool } from "../../../src/edge/workers/pool.ts";
import { temporaryDirectory } from "../../support/store.ts";

/** Workers that run this script, which may call `started()` to count their starts. */
const poolOf = (
  script: string,
  { onPause = () => {}, ...limits }: { startMs?: number; hangMs?: number; onPause?: () => void } = {},
) => {
  const directory = temporaryDirectory();
  const [file, starts] = [join(directory, "worker.ts"), join(directory, "starts")];
  writeFileSync(starts, "");
  const started = `const started = () => require("node:fs").appendFileSync(${JSON.stringify(starts)}, "x");`;
  writeFileSync(file, `${started}\n${script}`);
  const pauses: number[] = [];
  const write = (line: string) => {
    pauses.push((JSON.parse(line) as { pauseMs: number }).pauseMs);
    onPause();
  };
  const changes: { running: number; ended: string | undefined }[] = [];
  const pool = startPool({
    count: 1,
    settings: {},
    handlers: {},
    onChange: (pids, ended) => void changes.push({ running: pids.length, ended }),
    log: pino({}, { write }),
    env: process.env,
    command: [process.execPath, file],
    ...limits,
  });
  return { pool, pauses, changes, starts: () => readFileSync(starts, "utf8").length };
};

test("a worker that keeps ending is started again after longer and longer pauses", async () => {
  const { pool, pauses, changes, starts } = poolOf("started(); process.exit(1);");
  await pool.ready;
  while (starts() < 3) await Bun.sleep(5);
  await pool.stop(1000);
  expect(pauses.slice(0, 2)).toEqual([100, 200]);
  expect(changes[0]).toEqual({ running: 0, ended: "exit code 1" });
});

test("a stop during the pause before a worker is replaced starts no other worker", async () => {
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  const { pool, starts } = poolOf("started(); process.exit(1);", { onPause: () => resolve(pool.stop(1000)) });
  await stopped;
  expect(starts()).toBe(1);
});

test("a worker that starts during a stop is asked to stop too, and never counts as running", async () => {
  const { pool, changes, starts } = poolOf(`
    process.on("message", async ({ id, call }) => {
      started();
      if (call === "stop") process.exit();
      await Bun.sleep(50);
      process.send({ id, result: true });
    });`);
  while (starts() < 1) await Bun.sleep(5);
  await pool.stop(60_000);
  expect([starts(), changes]).toEqual([2, []]);
});

test("a worker that does not stop in time is killed", async () => {
  const { pool, changes } = poolOf(`
    process.on("message", ({ id, call }) => { if (call === "start") process.send({ id, result: true }); });
    process.on("SIGTERM", () => {});`);
  await pool.ready;
  expect(changes).toHaveLength(1);
  await pool.stop(50);
});

test("a worker that hangs during its start is replaced, and does not delay a stop", async () => {
  const { pool, pauses, changes, starts } = poolOf("started(); setInterval(() => {}, 1000);", {
    startMs: 100,
  });
  await pool.ready;
  while (starts() < 2) await Bun.sleep(5);
  await pool.stop(50);
  expect(pauses[0]).toBe(100);
  expect(changes[0]).toEqual({ running: 0, ended: "it did not start within 100 ms" });
});

test("a worker that reports why it cannot start is missing for that reason", async () => {
  const { pool, changes } = poolOf(`
    process.on("message", ({ id }) => process.send({ id, error: "no room" }));`);
  await pool.ready;
  while (changes.length === 0) await Bun.sleep(5);
  await pool.stop(50);
  expect(changes[0]).toEqual({ running: 0, ended: "no room" });
});

test("a worker that hangs while it serves is replaced", async () => {
  const serving = `
    started();
    process.on("message", ({ id, call }) => { if (call === "start") process.send({ id, result: true }); });`;
  const { pool, changes, starts } = poolOf(serving, { hangMs: 50 });
  while (starts() < 2) await Bun.sleep(5);
  await pool.stop(50);
  expect(changes.slice(0, 2)).toEqual([
    { running: 1, ended: undefined },
    { running: 0, ended: "it did not respond for 50 ms" },
  ]);
});

test("a worker that responds is left alone", async () => {
  const responding = `
    let asked = 0;
    process.on("message", ({ id, call }) => {
      process.send({ id, result: true });
      if (call === "report" && ++asked === 3) started();
    });`;
  const { pool, starts } = poolOf(responding, { hangMs: 50 });
  // On a busy machine, some are too slow.
  while (starts() < 1) await Bun.sleep(5);
  await pool.stop(50);
});

test("a stop does not wait for a worker that hangs during its start", async () => {
  const { pool, starts } = poolOf("started(); setInterval(() => {}, 1000);");
  while (starts() < 1) await Bun.sleep(5);
  await pool.stop(50);
  expect(starts()).toBe(1);
});
