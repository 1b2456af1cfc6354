import { expect, test } from "bun:test";
import { connectionsFor, openFiles } from "../../../src/edge/tls/descriptors.ts";

const limits = (soft: string) => `Limit                     Soft Limit           Hard Limit           Units
Max cpu time              unlimited            unlimited            seconds
Max open files            ${soft.padEnd(20)} 524288               files
Max locked memory         8388608              8388608              bytes
`;

test.each([
  ["1024", 1024],
  ["unlimited", Number.POSITIVE_INFINITY],
])("of the operating system's limits %s open files are read", (soft, files) => {
  expect(openFiles(limits(soft))).toBe(files);
});

test("a system that tells no limit has none", () => {
  expect(openFiles("")).toBe(Number.POSITIVE_INFINITY);
});

test.each([
  ["no limit", Number.POSITIVE_INFINITY, 10_000],
  ["as many files as they need", 30_256, 10_000],
  ["one file fewer", 30_255, 9999],
  ["1,024 files", 1024, 256],
  ["256 files", 256, 42],
  ["three files", 3, 1],
])("with %s there are at most as many connections as have three files each", (_, files, most) => {
  const { connections } = connectionsFor(10_000, files);
  expect(connections).toBe(most);
});

test("that there are fewer is said once, with what to set", () => {
  expect(connectionsFor(10_000, 30_256).advice).toBeUndefined();
  expect(connectionsFor(10_000, 1024).advice).toBe(
    "at most 256 HTTPS connections instead of 10000: this process may open 1024 files; LimitNOFILE=30256 in the unit, or ulimit -n 30256, allows them all",
  );
});
