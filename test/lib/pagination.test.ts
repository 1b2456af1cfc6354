import { describe, expect, test } from "bun:test";
import { readCursor, writeCursor } from "../../src/lib/pagination.ts";

describe("a cursor", () => {
  test.each([
    [1, ""],
    [20, "sold"],
    [Number.MAX_SAFE_INTEGER, "available"],
  ])("of %p and %p is read as it was written", (after, filter) => {
    expect(readCursor(writeCursor(after, filter), filter)).toBe(after);
  });

  test.each(["", "MA", "LTE6", "MTo=", "MTo ", writeCursor(1, "sold"), writeCursor(2 ** 53, ""), "MS41Og"])(
    "%p is none of this list",
    (cursor) => {
      expect(() => readCursor(cursor, "")).toThrow("cursor");
    },
  );
});
