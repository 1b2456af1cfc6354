import { expect, test } from "bun:test";
import { formatRate, parseRate } from "../../src/lib/rate-limiter.ts";

test.each([
  ["600/min", { requests: 600, seconds: 60 }],
  ["10/s", { requests: 10, seconds: 1 }],
  ["5000/h", { requests: 5000, seconds: 3600 }],
])("%s is parsed and formatted unchanged", (text, rate) => {
  expect(parseRate(text)).toEqual(rate);
  expect(formatRate(rate)).toBe(text);
});

test.each([
  ["10/sec", { requests: 10, seconds: 1 }],
  ["5000/hour", { requests: 5000, seconds: 3600 }],
  ["999999999/h", { requests: 999_999_999, seconds: 3600 }],
])("%s is parsed", (text, rate) => {
  expect(parseRate(text)).toEqual(rate);
});

test.each(["", "600", "/min", "0/min", "-1/s", "1.5/s", "10/day", "10 / s", "1e3/s", "9999999999/s"])(
  "%p is not a rate",
  (text) => {
    expect(parseRate(text)).toBeUndefined();
  },
);
