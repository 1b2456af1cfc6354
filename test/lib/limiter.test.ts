import { expect, test } from "bun:test";
import { forEachLimited, keyedLimiter, limiter } from "../../src/lib/limiter.ts";
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

/** Work that the test ends; `begun` lists the started work, in order. */
const workshop = (max: number, reserved: number) => {
  const pass = keyedLimiter<string>(max, reserved);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    ask: (name: string, isUrgent: () => boolean, key = "server") =>
      pass(
        key,
        () => {
          begun.push(name);
          const { promise, resolve } = Promise.withResolvers<void>();
          ends.set(name, resolve);
          return promise;
        },
        isUrgent,
      ),
    async end(name: string) {
      ends.get(name)?.();
      await Bun.sleep(0);
    },
  };
};

const urgent = () => true;
const leisurely = () => false;

test("slots are reserved for urgent work, for each key", async () => {
  const { begun, ask } = workshop(3, 1);
  for (const name of ["a", "b", "c"]) void ask(name, leisurely);
  void ask("d", urgent);
  void ask("e", urgent);
  void ask("f", leisurely, "other");
  await Bun.sleep(0);
  expect(begun).toEqual(["a", "b", "d", "f"]);
});

test("urgent work runs first, the rest in the order of the calls", async () => {
  const { begun, ask, end } = workshop(2, 1);
  void ask("a", leisurely);
  void ask("b", urgent);
  for (const name of ["c", "d"]) void ask(name, leisurely);
  void ask("e", urgent);
  await Bun.sleep(0);
  for (const name of ["a", "b", "e", "c", "d"]) await end(name);
  expect(begun).toEqual(["a", "b", "e", "c", "d"]);
});

test("work that becomes urgent in the queue then runs first", async () => {
  const { begun, ask, end } = workshop(1, 0);
  let isAwaited = false;
  void ask("a", leisurely);
  void ask("b", leisurely);
  void ask("c", () => isAwaited);
  isAwaited = true;
  await Bun.sleep(0);
  await end("a");
  expect(begun).toEqual(["a", "c"]);
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
