import { expect, test } from "bun:test";
import type { Clock } from "../../src/lib/time.ts";
import { duePoller, repeat } from "../../src/lib/poller.ts";
import { testClock } from "../support/store.ts";

const rethrow = (error: unknown) => {
  throw error;
};

/** A poller of texts that identify themselves. */
const pollerOf = (options: {
  due: (now: number, limit: number) => Promise<string[]>;
  process: (item: string, signal: AbortSignal) => Promise<unknown>;
  maxConcurrent?: number;
  clock?: Clock;
  onError?: (error: unknown) => void;
}) =>
  duePoller({
    idOf: (item: string) => item,
    maxPerTick: 2,
    maxConcurrent: 2,
    clock: testClock(),
    onError: rethrow,
    ...options,
  });

test("items that turn out to be due during a stop are not started", async () => {
  const { promise: found, resolve: find } = Promise.withResolvers<string[]>();
  const processed: string[] = [];
  const poller = pollerOf({ due: () => found, process: async (item) => void processed.push(item) });
  const ticking = poller.tick();
  await poller.stop();
  find(["a", "b"]);
  await ticking;
  await poller.tick();
  expect(processed).toEqual([]);
});

test("ticks during a run join it, so that runs never overlap", async () => {
  const { promise: silence, resolve: end } = Promise.withResolvers<void>();
  let begun = 0;
  const poller = repeat(
    1000,
    () => {
      begun++;
      return silence;
    },
    { onError: rethrow },
  );
  const ticks = [poller.tick(), poller.tick()];
  expect(begun).toBe(1);
  end();
  await Promise.all(ticks);
  await poller.tick();
  expect(begun).toBe(2);
});

test("a run that fails is reported, even if the work throws synchronously, and the next run starts", async () => {
  const errors: unknown[] = [];
  let begun = 0;
  const poller = repeat(
    1000,
    () => {
      throw new Error(`run ${++begun}`);
    },
    { onError: (error) => errors.push(error) },
  );
  await poller.tick();
  await poller.tick();
  expect(errors).toEqual([new Error("run 1"), new Error("run 2")]);
});

test("stop waits for the current run, and no other starts", async () => {
  const { promise: silence, resolve: end } = Promise.withResolvers<void>();
  let begun = 0;
  let isStopped = false;
  const poller = repeat(
    5,
    () => {
      begun++;
      return silence;
    },
    { firstMs: 0, onError: rethrow },
  );
  poller.start();
  const stopping = poller.stop().then(() => (isStopped = true));
  await Bun.sleep(20);
  expect(isStopped).toBe(false);
  end();
  await stopping;
  await Bun.sleep(20);
  await poller.tick();
  expect(begun).toBe(1);
});

test("the first run starts immediately, after firstMs, or after the interval", async () => {
  const begun: string[] = [];
  const { promise: later, resolve } = Promise.withResolvers<void>();
  const pollers = [0, 20, undefined].map((firstMs) =>
    repeat(
      firstMs === undefined ? 300 : 3_600_000,
      () => {
        begun.push(String(firstMs));
        if (begun.length === 3) resolve();
      },
      { ...(firstMs !== undefined && { firstMs }), onError: rethrow },
    ),
  );
  for (const poller of pollers) poller.start();
  expect(begun).toEqual(["0"]);
  await later;
  expect(begun).toEqual(["0", "20", "undefined"]);
  for (const poller of pollers) await poller.stop();
});

test("runs repeat until the poller stops", async () => {
  let runs = 0;
  const { promise: third, resolve } = Promise.withResolvers<void>();
  const poller = repeat(5, () => void (++runs === 3 && resolve()), { firstMs: 0, onError: rethrow });
  poller.start();
  await third;
  await poller.stop();
  const stopped = runs;
  await Bun.sleep(30);
  expect(runs).toBe(stopped);
});

test("an item that fails rests for a minute, while others are processed", async () => {
  const clock = testClock();
  const processed: string[] = [];
  const errors: unknown[] = [];
  const poller = pollerOf({
    due: async () => ["bad", "good"],
    async process(item) {
      processed.push(item);
      if (item === "bad") throw new Error("full");
    },
    clock,
    onError: (error) => errors.push(error),
  });
  await poller.tick();
  await poller.tick();
  expect(processed).toEqual(["bad", "good", "good"]);
  expect(errors).toEqual([new Error("full")]);
  clock.advance(60_000);
  await poller.tick();
  expect(processed.filter((item) => item === "bad")).toHaveLength(2);
});

test("an item is never processed twice concurrently, and at most maxConcurrent items run", async () => {
  const { promise: silence, resolve: end } = Promise.withResolvers<void>();
  const processed: string[] = [];
  const poller = pollerOf({
    due: async (_now, limit) => ["a", "b", "c", "d", "e"].slice(0, limit),
    process(item) {
      processed.push(item);
      return silence;
    },
    maxConcurrent: 3,
  });
  const ticks = [];
  for (let second = 0; second < 4; second++) {
    ticks.push(poller.tick());
    await Bun.sleep(1);
  }
  expect(processed).toEqual(["a", "b", "c"]);
  end();
  await Promise.all(ticks);
});

test("stop waits at most a second for running items", async () => {
  const poller = pollerOf({ due: async () => ["slow"], process: () => new Promise(() => {}) });
  void poller.tick();
  await Bun.sleep(1);
  const start = performance.now();
  await poller.stop();
  expect(performance.now() - start).toBeGreaterThan(900);
  expect(performance.now() - start).toBeLessThan(2000);
});

test("a poller that starts again after a stop gives its work a new signal, and the signal of the earlier work is aborted", async () => {
  const signals: AbortSignal[] = [];
  const poller = repeat(1000, (signal) => void signals.push(signal), { firstMs: 0, onError: rethrow });
  poller.start();
  await poller.stop();
  await poller.tick();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  poller.start();
  await poller.tick();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  await poller.stop();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});

test("an item that still runs when its poller starts again is not processed a second time", async () => {
  const { promise: silence, resolve: end } = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [];
  const poller = pollerOf({
    due: async () => ["slow"],
    process(_item, signal) {
      signals.push(signal);
      return silence;
    },
  });
  const running = poller.tick();
  await Bun.sleep(1);
  await poller.stop();
  poller.start();
  await poller.tick();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  end();
  await running;
  await poller.tick();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  await poller.stop();
});
