import { expect, test } from "bun:test";
import { lazy, oncePer } from "../../src/lib/lazy.ts";

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

test("a value for each key is made when it is first asked for, once", () => {
  const made: string[] = [];
  const upper = oncePer((key: string) => {
    made.push(key);
    return key === "none" ? undefined : key.toUpperCase();
  });
  expect(made).toEqual([]);
  expect([upper("a"), upper("none"), upper("a"), upper("none")]).toEqual(["A", undefined, "A", undefined]);
  expect(made).toEqual(["a", "none"]);
});
