import { expect, test } from "bun:test";
import { idOf } from "../../../src/pages/console/ui/parts/address.ts";

test.each([
  ["1", 1],
  ["120", 120],
])("%p names the id %p", (part, id) => {
  expect(idOf(part)).toBe(id);
});

test.each([undefined, "", "0", "01", "-1", "1.5", "abc", "new", "9".repeat(16)])("%p names no id", (part) => {
  expect(idOf(part)).toBeUndefined();
});
