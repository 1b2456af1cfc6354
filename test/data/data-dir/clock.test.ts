import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ClockJump, clockGuard, clockJump, trustTime } from "../../../src/data/data-dir/clock.ts";
import { newestTime } from "../../../src/data/db/newest-time.ts";
import { DAY_MS } from "../../../src/lib/time.ts";
import { addPet, openStore, temporaryDirectory, testClock } from "../../support/store.ts";

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 4, 6, 7, 8, 9);

/** A guard whose clocks a test sets. `pass` lets time pass, and `jump` sets the clock. */
const guardOf = (
  dataDir = temporaryDirectory(),
  { now = START, newest }: { now?: number; newest?: number } = {},
) => {
  const clock = testClock(now);
  let steady = 1_000_000;
  const changes: (ClockJump | undefined)[] = [];
  const guard = clockGuard(dataDir, newest, {
    clock,
    steady: () => steady,
    onChange: (jump) => void changes.push(jump),
    onError: (error) => {
      throw error;
    },
  });
  const jump = (ms: number) => clock.advance(ms);
  const pass = (ms: number) => {
    steady += ms;
    clock.advance(ms);
  };
  return { ...guard, dataDir, clock, changes, jumpBy: jump, pass };
};

test("time that passes is no jump, however long, and neither are jumps of less than a day", async () => {
  const guard = guardOf();
  for (let hour = 0; hour < 100; hour++) {
    guard.pass(HOUR_MS);
    await guard.tick();
  }
  guard.jumpBy(23 * HOUR_MS);
  expect(guard.jump()).toBeUndefined();
  expect(guard.changes).toEqual([]);
});

test.each([30 * DAY_MS, -2 * DAY_MS])(
  "a jump of %d ms is reported immediately, and ends when the clock jumps back",
  async (ms) => {
    const guard = guardOf();
    await guard.tick();
    guard.pass(5000);
    guard.jumpBy(ms);
    expect(guard.jump()).toEqual({ shown: START + 5000 + ms, expected: START + 5000, mayBeStop: false });
    await guard.tick();
    guard.pass(5 * DAY_MS);
    await guard.tick();
    expect(guard.jump()).toBeDefined();
    guard.jumpBy(-ms);
    expect(guard.jump()).toBeUndefined();
    await guard.tick();
    expect(guard.changes.map((jump) => jump !== undefined)).toEqual([true, false]);
  },
);

test("a restart does not end the doubt, and a confirmation does, in a running server too", async () => {
  const first = guardOf();
  await first.tick();
  first.jumpBy(3 * DAY_MS);
  await first.tick();
  await first.stop();
  const second = guardOf(first.dataDir, { now: first.clock.now(), newest: first.clock.now() });
  await second.tick();
  second.pass(2 * DAY_MS);
  await second.tick();
  expect(second.jump()).toEqual({
    shown: START + 5 * DAY_MS,
    expected: START + 2 * DAY_MS,
    mayBeStop: false,
  });
  expect(clockJump(first.dataDir, second.clock.now())).toBeDefined();
  await trustTime(first.dataDir, second.clock.now());
  expect(second.jump()).toBeUndefined();
  expect(clockJump(first.dataDir, second.clock.now())).toBeUndefined();
  await second.tick();
  expect(second.changes.at(-1)).toBeUndefined();
});

test("a server that stops saves the time, so that only a stop of more than a day is in doubt", async () => {
  const first = guardOf();
  first.pass(50 * HOUR_MS);
  await first.stop();
  expect(JSON.parse(readFileSync(join(first.dataDir, "clock.json"), "utf8"))).toEqual({
    trusted: START + 50 * HOUR_MS,
  });
  expect(guardOf(first.dataDir, { now: START + 73 * HOUR_MS }).jump()).toBeUndefined();
  expect(guardOf(first.dataDir, { now: START + 75 * HOUR_MS }).jump()).toBeDefined();
});

test("a start after a long stop trusts the clock once the server has run for a day, and a jump on that day does not", async () => {
  const first = guardOf();
  await first.stop();
  const startAgain = () => guardOf(first.dataDir, { now: START + 30 * DAY_MS });
  const guard = startAgain();
  await guard.tick();
  guard.pass(23 * HOUR_MS);
  await guard.tick();
  expect(guard.jump()).toMatchObject({ mayBeStop: true });
  guard.pass(2 * HOUR_MS);
  await guard.tick();
  expect(guard.jump()).toBeUndefined();
  guard.jumpBy(2 * DAY_MS);
  expect(guard.jump()).toMatchObject({ mayBeStop: false });
  await trustTime(first.dataDir, START);
  const other = startAgain();
  other.jumpBy(2 * DAY_MS);
  other.pass(25 * HOUR_MS);
  expect(other.jump()).toMatchObject({ mayBeStop: false });
});

test("the first start compares the clock with the newest time in the database", async () => {
  const store = await openStore();
  await addPet(store, { name: "Bella" });
  const newest = newestTime(store.database.client);
  expect(newest).toBe(store.clock.now());
  const guard = guardOf(temporaryDirectory(), { now: store.clock.now() + 2 * DAY_MS, newest: newest ?? 0 });
  expect(guard.jump()).toBeDefined();
  await guard.tick();
  expect(clockJump(guard.dataDir, guard.clock.now())?.expected).toBe(store.clock.now());
});

test("while the clock is in doubt, no row is deleted by age, and a repeated request gets its stored response", async () => {
  let jump: ClockJump | undefined;
  const store = await openStore({ env: { AUDIT_DAYS: "7" }, clockGuard: { jump: () => jump } });
  const add = async () => {
    const response = await store.call("POST", "/v1/pets", {
      json: { name: "Rex", categoryId: 1 },
      headers: { "idempotency-key": "K1" },
    });
    return response.headers.get("idempotency-replayed");
  };
  const entries = () => store.database.client.query("SELECT count(*) FROM audit_entries").values()[0];
  const sweep = () => store.sweepRows(new AbortController().signal);
  expect(await add()).toBeNull();
  const before = entries();
  const now = store.clock.now();
  store.clock.advance(30 * DAY_MS);
  jump = { shown: store.clock.now(), expected: now, mayBeStop: false };
  await sweep();
  expect(entries()).toEqual(before);
  expect(await add()).toBe("true");
  const { warnings } = (await (await store.call("GET", "/readyz")).json()) as { warnings: object[] };
  expect(warnings).toContainEqual({
    code: "clock_jumped",
    count: 1,
    message: expect.stringMatching(/30 days after the expected .+ run adoption-store clock --confirm\.$/),
  });
  jump = undefined;
  await sweep();
  expect(entries()).not.toEqual(before);
  expect(await add()).toBeNull();
});

test.each([Number.MAX_SAFE_INTEGER, 8.64e15, -Number.MAX_SAFE_INTEGER, "1", null])(
  "a file with the time %p is damaged, and counts as none",
  async (trusted) => {
    const dataDir = temporaryDirectory();
    writeFileSync(join(dataDir, "clock.json"), JSON.stringify({ trusted }));
    expect(clockJump(dataDir, START)).toBeUndefined();
    const guard = guardOf(dataDir);
    guard.pass(HOUR_MS);
    expect(guard.jump()).toBeUndefined();
  },
);
