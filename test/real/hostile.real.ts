import { test } from "bun:test";
import { takeInHostile } from "../platform/deploys/hostile.ts";

test("10,000 hostile archives leave the process up, nothing outside the store, and no leftover files in it", () =>
  takeInHostile(10_000));
