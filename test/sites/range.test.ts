import { expect, test } from "bun:test";
import { readRange } from "../../src/sites/range.ts";

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
] as const)("Range %s of 100 bytes selects %j", (header, range) => {
  expect(readRange(header, 100)).toEqual(range as ReturnType<typeof readRange>);
});
