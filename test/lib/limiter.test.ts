import { expect, test } from "bun:test";
import { forEachLimited, limiter } from "../../src/lib/limiter.ts";
import { outcomeOf } from "../support/outcome.ts";

/** Counts the concurrent calls. */
const gauge = () => {
  let running = 0;
  const counts = { max: 0, all: 0 };
  return {
    counts,
    async act() {
      counts.max = Math.max(counts.max, ++running);
      counts.all++;
      await Bun.sleep(0);
      running--;
    },
  };
};

test("a limiter runs its number of calls concurrently, and the others after them", async () => {
  const { counts, act } = gauge();
  const limited = limiter(3);
  await Promise.all(Array.from({ length: 10 }, () => limited(act)));
  expect(counts).toEqual({ max: 3, all: 10 });
});

test("a call that fails makes room for the next", async () => {
  const limited = limiter(1);
  const failed = outcomeOf(limited(() => Promise.reject(new Error("no"))));
  expect(await limited(() => Promise.resolve("next"))).toBe("next");
  expect(await failed).toThrow("no");
});

test("each item is handled, with a limited number of concurrent calls", async () => {
  const { counts, act } = gauge();
  await forEachLimited(Array.from({ length: 10 }), 4, act);
  expect(counts).toEqual({ max: 4, all: 10 });
});

test("after an error no further item begins, and the running ones end first", async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const outcome = await outcomeOf(
    forEachLimited([1, 2, 3, 4, 5, 6], 2, async (item) => {
      begun.push(item);
      if (item === 1) throw new Error("the first");
      await Bun.sleep(1);
      ended.push(item);
    }),
  );
  expect(outcome).toThrow("the first");
  expect({ begun, ended }).toEqual({ begun: [1, 2], ended: [2] });
});
