import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import pino from "pino";
import { startPool } from "../../src/workers/pool.ts";
import { temporaryDirectory } from "../support/store.ts";

/** Workers that run this script, which may call `started()` to count their starts. */
const poolOf = (script: string, startMs?: number) => {
  const directory = temporaryDirectory();
  const [file, starts] = [join(directory, "worker.ts"), join(directory, "starts")];
  writeFileSync(starts, "");
  const started = `const started = () => require("node:fs").appendFileSync(${JSON.stringify(starts)}, "x");`;
  writeFileSync(file, `${started}\n${script}`);
  const pauses: number[] = [];
  const log = pino(
    {},
    { write: (line) => void pauses.push((JSON.parse(line) as { pauseMs: number }).pauseMs) },
  );
  const changes: (readonly number[])[] = [];
  const pool = startPool({
    count: 1,
    settings: {},
    handlers: {},
    onChange: (pids) => void changes.push(pids),
    log,
    env: process.env,
    command: [process.execPath, file],
    ...(startMs !== undefined && { startMs }),
  });
  return { pool, pauses, changes, starts: () => readFileSync(starts, "utf8").length };
};

test("a worker that ends again and again is started again after longer and longer pauses", async () => {
  const { pool, pauses, changes, starts } = poolOf("started(); process.exit(1);");
  await pool.ready;
  while (starts() < 3) await Bun.sleep(5);
  await pool.stop(1000);
  expect(pauses.slice(0, 2)).toEqual([100, 200]);
  expect(changes).toEqual([]);
});

test("a worker that does not stop in time is killed", async () => {
  const { pool, changes } = poolOf(`
    process.on("message", ({ id, call }) => { if (call === "start") process.send({ id, result: true }); });
    process.on("SIGTERM", () => {});`);
  await pool.ready;
  expect(changes).toHaveLength(1);
  await pool.stop(50);
});

test("a worker that hangs during its start is replaced, and holds no stop up", async () => {
  const { pool, pauses, changes, starts } = poolOf("started(); setInterval(() => {}, 1000);", 100);
  await pool.ready;
  while (starts() < 2) await Bun.sleep(5);
  await pool.stop(50);
  expect(pauses[0]).toBe(100);
  expect(changes).toEqual([]);
});

test("a stop does not wait for a worker that hangs during its start", async () => {
  const { pool, starts } = poolOf("started(); setInterval(() => {}, 1000);");
  while (starts() < 1) await Bun.sleep(5);
  await pool.stop(50);
  expect(starts()).toBe(1);
});
