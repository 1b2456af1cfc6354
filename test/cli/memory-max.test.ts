import { expect, test } from "bun:test";
import { parseMemoryMax } from "../../src/cli/service.ts";

const GIB = 2 ** 30;

test.each([
  ["75%", "75%"],
  ["100%", "100%"],
  ["13%", "13%"],
  ["256MiB", "268435456"],
  ["2GiB", "2147483648"],
])("the memory limit %s is valid on a machine with 2 GiB", (text, limit) => {
  expect(parseMemoryMax(text, 2 * GIB)).toBe(limit);
});

test.each(["", "0%", "12%", "101%", "7.5%", "75", "lots", "255MiB", "-1", "infinity", "1GiB\nUser=root"])(
  "the memory limit %j is invalid on a machine with 2 GiB",
  (text) => {
    expect(() => parseMemoryMax(text, 2 * GIB)).toThrow(
      /^--memory-max: .* must be a share .* of at least 256MiB$/s,
    );
  },
);
