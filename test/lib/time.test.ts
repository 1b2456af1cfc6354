import { describe, expect, test } from "bun:test";
import { parseTime } from "../../src/lib/time.ts";

describe("a time", () => {
  test.each([
    ["2030-12-05T00:00:00Z", Date.UTC(2030, 11, 5)],
    ["2030-12-05t01:00:00.5+01:00", Date.UTC(2030, 11, 5, 0, 0, 0, 500)],
    ["2028-02-29T00:00:00Z", Date.UTC(2028, 1, 29)],
  ])("%s is read", (text, time) => {
    expect(parseTime(text)).toBe(time);
  });

  test.each([
    "",
    "2030-12-05",
    "2030-12-05 00:00:00Z",
    "2030-02-29T00:00:00Z",
    "2030-13-01T00:00:00Z",
    "2030-12-05T25:00:00Z",
    "2030-12-05T00:00:00",
    "1e3",
  ])("%p is none", (text) => {
    expect(parseTime(text)).toBeUndefined();
  });
});
