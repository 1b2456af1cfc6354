import { expect, test } from "bun:test";
import { lazy } from "../../src/lib/lazy.ts";

test("a lazy value is made once, when one of its methods is first called, even one that was passed on", () => {
  let times = 0;
  const counter = lazy(() => {
    times += 1;
    return { one: () => 1, double: (of: number) => of * 2 };
  });
  const { one } = counter;
  expect(times).toBe(0);
  expect([one(), counter.double(21), one()]).toEqual([1, 42, 1]);
  expect(times).toBe(1);
});
