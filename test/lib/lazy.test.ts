import { expect, test } from "bun:test";
import { oncePer } from "../../src/lib/lazy.ts";

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
