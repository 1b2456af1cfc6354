import { expect, test } from "bun:test";
import { LATEST_TIME, formatTime, parseTime, systemClock, withDeadline } from "../../src/lib/time.ts";
import { outcomeOf } from "../support/outcome.ts";
import { words } from "../support/words.ts";

test.each([
  ["2030-12-05T00:00:00Z", Date.UTC(2030, 11, 5)],
  ["2030-12-05t01:00:00.5+01:00", Date.UTC(2030, 11, 5, 0, 0, 0, 500)],
  ["2028-02-29T00:00:00Z", Date.UTC(2028, 1, 29)],
  ["2000-02-29T00:00:00Z", Date.UTC(2000, 1, 29)],
  ["1970-01-01T00:00:00Z", 0],
  ["1970-01-01T01:00:00.001+01:00", 1],
  ["9999-12-31T23:59:59.999Z", Date.UTC(9999, 11, 31, 23, 59, 59, 999)],
  ["2030-12-05T19:20:21.123456789z", Date.UTC(2030, 11, 5, 19, 20, 21, 123)],
  ["2030-12-05T23:59:59-00:30", Date.UTC(2030, 11, 6, 0, 29, 59)],
])("the time %s is parsed", (text, time) => {
  expect(parseTime(text)).toBe(time);
});

const NO_TIMES = words(`
  1e3 2030-12-05 2030-12-05T00:00:00 +002030-12-05T00:00:00Z +12030-12-05T00:00:00Z 02030-12-05T00:00:00Z
  203-12-05T00:00:00Z 2030-1-05T00:00:00Z 2030-012-05T00:00:00Z 2030-12-5T00:00:00Z 2030-12-005T00:00:00Z
  1900-02-29T00:00:00Z 2030-02-29T00:00:00Z 2100-02-29T00:00:00Z 2030-04-31T00:00:00Z 2030-00-05T00:00:00Z
  2030-13-01T00:00:00Z 2030-12-05T1:00:00Z 2030-12-05T24:00:00Z 2030-12-05T25:00:00Z 2030-12-05T00:0:00Z
  2030-12-05T00:000:00Z 2030-12-05T00:60:00Z 2030-12-05T00:00:0Z 2030-12-05T00:00:60Z 2030-12-05T00:00:000Z
  2030-12-05T00:00:00.Z 2030-12-05T00:00:00.1234567890Z 2030-12-05T00:00:00+1:00 2030-12-05T00:00:00+001:00
  2030-12-05T00:00:00+01:0 2030-12-05T00:00:00+01:000 2030-12-05T00:00:00+0100 1969-12-31T23:59:59.999Z
  1970-01-01T00:59:59+01:00 9999-12-31T23:59:59.999-00:01`);

test.each([
  ...NO_TIMES,
  "",
  "2030-12-05 00:00:00Z",
  "2030-12-05T00:00:00Z (noon)",
  "2030-12-05T00:00:00Z ",
  " 2030-12-05T00:00:00Z",
])("%p is not a time", (text) => {
  expect(parseTime(text)).toBeUndefined();
});

test("a time is formatted with milliseconds", () => {
  expect(formatTime(Date.UTC(2030, 11, 5, 1, 2, 3, 4))).toBe("2030-12-05T01:02:03.004Z");
});

test("the latest time is the last millisecond of the year 9999", () => {
  expect(formatTime(LATEST_TIME)).toBe("9999-12-31T23:59:59.999Z");
});

test("the system's clock counts milliseconds of UTC", () => {
  const before = Date.now();
  expect(systemClock.now()).toBeGreaterThanOrEqual(before);
  expect(systemClock.now()).toBeLessThanOrEqual(Date.now());
});

const late = () => new Error("late");

test("work that ends before its deadline has its own result or error", async () => {
  expect(await withDeadline(Promise.resolve("done"), 1000, late)).toBe("done");
  expect(await outcomeOf(withDeadline(Promise.reject(new Error("failed")), 1000, late))).toThrow("failed");
});

test("work that takes longer than its deadline fails with the error of the caller", async () => {
  expect(await outcomeOf(withDeadline(Promise.withResolvers().promise, 1, late))).toThrow("late");
});
