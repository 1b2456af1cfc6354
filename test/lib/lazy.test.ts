import { expect, test } from "bun:test";
import { lazy } from "../../src/lib/lazy.ts";

test("nothing is made before a method is called, also one that was handed over, and then once", () => {
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
