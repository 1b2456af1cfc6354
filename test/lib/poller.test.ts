import { expect, test } from "bun:test";
import { duePoller, repeat } from "../../src/lib/poller.ts";
import { testClock } from "../support/store.ts";

test("items that turn out to be due during a stop are not started", async () => {
  const { promise: found, resolve: find } = Promise.withResolvers<string[]>();
  const processed: string[] = [];
  const poller = duePoller({
    due: () => found,
    idOf: (item) => item,
    process: async (item) => void processed.push(item),
    maxPerTick: 10,
    maxConcurrent: 10,
    clock: testClock(),
    onError: (error) => {
      throw error;
    },
  });
  const ticking = poller.tick();
  await poller.stop();
  find(["a", "b"]);
  await ticking;
  await poller.tick();
  expect(processed).toEqual([]);
});

const rethrow = (error: unknown) => {
  throw error;
};

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
  const pollers = [0, 20, undefined].map((firstMs) =>
    repeat(60, () => begun.push(String(firstMs)), {
      ...(firstMs !== undefined && { firstMs }),
      onError: rethrow,
    }),
  );
  for (const poller of pollers) poller.start();
  expect(begun).toEqual(["0"]);
  await Bun.sleep(45);
  expect(begun).toEqual(["0", "20"]);
  await Bun.sleep(50);
  expect(begun.toSorted()).toEqual(["0", "0", "20", "20", "undefined"]);
  for (const poller of pollers) await poller.stop();
});

test("an item that fails rests for a minute, while others are processed", async () => {
  const clock = testClock();
  const processed: string[] = [];
  const errors: unknown[] = [];
  const poller = duePoller({
    due: async () => ["bad", "good"],
    idOf: (item) => item,
    async process(item) {
      processed.push(item);
      if (item === "bad") throw new Error("full");
    },
    maxPerTick: 2,
    maxConcurrent: 2,
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
  const processed: number[] = [];
  const poller = duePoller({
    due: async (_now, limit) => [1, 2, 3, 4, 5].slice(0, limit),
    idOf: (item) => item,
    process(item) {
      processed.push(item);
      return silence;
    },
    maxPerTick: 2,
    maxConcurrent: 3,
    clock: testClock(),
    onError: rethrow,
  });
  const ticks = [];
  for (let second = 0; second < 4; second++) {
    ticks.push(poller.tick());
    await Bun.sleep(1);
  }
  expect(processed).toEqual([1, 2, 3]);
  end();
  await Promise.all(ticks);
});

test("stop waits at most a second for running items", async () => {
  const poller = duePoller({
    due: async () => ["slow"],
    idOf: (item) => item,
    process: () => new Promise(() => {}),
    maxPerTick: 1,
    maxConcurrent: 1,
    clock: testClock(),
    onError: rethrow,
  });
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
  const poller = duePoller({
    due: async () => ["slow"],
    idOf: (item) => item,
    process(_item, signal) {
      signals.push(signal);
      return silence;
    },
    maxPerTick: 2,
    maxConcurrent: 2,
    clock: testClock(),
    onError: rethrow,
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
