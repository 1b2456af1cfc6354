import { expect, test } from "bun:test";
import { readRange } from "../../../src/platform/sites/range.ts";

test.each([
  ["bytes=0-9", [0, 9]],
  ["bytes=90-", [90, 99]],
  ["bytes=90-1000", [90, 99]],
  ["bytes=-10", [90, 99]],
  ["bytes=-1000", [0, 99]],
  ["bytes=100-", "unsatisfiable"],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=9-0", undefined],
  ["bytes=0-1,5-6", undefined],
  ["bytes=-", undefined],
  ["lines=0-9", undefined],
  ["bytes=0x0-9", undefined],
  ["BYTES=0-9", [0, 9]],
  [" bytes=0-9 ", [0, 9]],
  ["xbytes=0-9", undefined],
  ["bytes=0-9x", undefined],
  ["bytes=5-5", [5, 5]],
  ["bytes=99-99", [99, 99]],
  ["bytes=99-", [99, 99]],
  ["bytes=0-99", [0, 99]],
  ["bytes=0-98", [0, 98]],
  ["bytes=-1", [99, 99]],
  ["bytes=-100", [0, 99]],
  ["bytes=100-200", "unsatisfiable"],
  ["bytes=200-100", undefined],
  ["bytes=0-999999999999999", [0, 99]],
  ["bytes=0-9999999999999999", undefined],
  ["bytes=000000000000001-9", [1, 9]],
  ["bytes=0000000000000001-9", undefined],
  ["", undefined],
] as const)("Range %s of 100 bytes selects %j", (header, range) => {
  expect(readRange(header, 100)).toEqual(range as ReturnType<typeof readRange>);
});

test.each(["bytes=-5", "bytes=0-", "bytes=0-9", "bytes=5-"])(
  "Range %s of an empty file selects no byte",
  (header) => {
    expect(readRange(header, 0)).toBe("unsatisfiable");
  },
);
