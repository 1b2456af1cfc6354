import { expect, test } from "bun:test";
import { oncePer, shared } from "../../src/lib/lazy.ts";

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

test("concurrent calls for a key share one run, and a later call starts another, also after a failure", async () => {
  const runs: string[] = [];
  const run = shared(async (key: string) => {
    runs.push(key);
    await Bun.sleep(1);
    if (key === "bad") throw new Error("no");
    return key;
  });
  expect(await Promise.all([run("a"), run("a"), run("b")])).toEqual(["a", "a", "b"]);
  expect(await Promise.allSettled([run("bad"), run("bad")])).toMatchObject([
    { status: "rejected" },
    { status: "rejected" },
  ]);
  expect(await run("a")).toBe("a");
  expect(runs).toEqual(["a", "b", "bad", "a"]);
});
