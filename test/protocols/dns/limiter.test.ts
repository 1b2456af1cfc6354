import { expect, test } from "bun:test";
import { concurrencyLimiter } from "../../../src/protocols/dns/limiter.ts";

/** Work that ends when it is told to; `begun` says what began, in its order. */
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

test("places are kept free for what is urgent, and each key has its own", async () => {
  const { begun, ask } = workshop(3, 1);
  for (const name of ["a", "b", "c"]) void ask(name, leisurely);
  void ask("d", urgent);
  void ask("e", urgent);
  void ask("f", leisurely, "other");
  await Bun.sleep(0);
  expect(begun).toEqual(["a", "b", "d", "f"]);
});

test("what is urgent goes first, the rest in the order in which it came", async () => {
  const { begun, ask, end } = workshop(2, 1);
  void ask("a", leisurely);
  void ask("b", urgent);
  for (const name of ["c", "d"]) void ask(name, leisurely);
  void ask("e", urgent);
  await Bun.sleep(0);
  for (const name of ["a", "b", "e", "c", "d"]) await end(name);
  expect(begun).toEqual(["a", "b", "e", "c", "d"]);
});

test("what becomes urgent while it waits goes first from then on", async () => {
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

test("work that fails gives its place to the next", async () => {
  const pass = concurrencyLimiter(1, 0);
  const failing = pass("server", urgent, () => Promise.reject(new Error("no")));
  const next = pass("server", urgent, async () => "yes");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("yes");
});
