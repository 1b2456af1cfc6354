import { test } from "bun:test";
import { takeInHostile } from "./hostile.ts";

// Few enough for a run of all tests; test/real stores 10,000.
test("2,000 hostile archives leave the process up, nothing outside the store, and nothing behind in it", () =>
  takeInHostile(2000));
