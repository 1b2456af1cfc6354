import { expect, test } from "bun:test";
import { relativeTime } from "../../../src/cli/print/output.ts";

const NOW = Date.UTC(2026, 10, 20);
const MINUTE = 60_000;

test.each([
  [0, "just now"],
  [400, "just now"],
  [-1000, "1 second ago"],
  [-59_000, "59 seconds ago"],
  [-MINUTE, "1 minute ago"],
  [-3 * MINUTE - 29_000, "3 minutes ago"],
  [90 * 24 * 60 * MINUTE - 1000, "in 90 days"],
  [-60 * MINUTE, "1 hour ago"],
  [-24 * 60 * MINUTE, "1 day ago"],
  [90 * 24 * 60 * MINUTE, "in 90 days"],
  [365 * 24 * 60 * MINUTE, "in 1 year"],
])("a time %p ms from now is %p", (offset, text) => {
  expect(relativeTime(NOW + offset, NOW)).toBe(text);
});
