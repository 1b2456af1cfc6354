import { expect, test } from "bun:test";
import { concurrencyLimiter } from "../../../src/protocols/dns/limiter.ts";
import { outcomeOf } from "../../support/outcome.ts";

/** Work that the test ends; `begun` lists the started work, in order. */
const workshop = (limit: number, reserved: number) => {
  const pass = concurrencyLimiter(limit, reserved);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    ask: (name: string, isUrgent: () => boolean, key = "server") =>
      pass(key, isUrgent, () => {
        begun.push(name);
        const { promise, resolve } = Promise.withResolvers<void>();
        ends.set(name, resolve);
        return promise;
      }),
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

test("work that fails frees its slot", async () => {
  const pass = concurrencyLimiter(1, 0);
  const failing = pass("server", urgent, () => Promise.reject(new Error("no")));
  const next = pass("server", urgent, async () => "yes");
  expect(await outcomeOf(failing)).toThrow("no");
  expect(await next).toBe("yes");
});
