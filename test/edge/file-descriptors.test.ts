import { expect, test } from "bun:test";
import {
  assertDescriptors,
  assertFileLimit,
  assertResponses,
  descriptorBudget,
  descriptorWarnings,
  openFilesLimit,
  streamBudget,
} from "../../src/edge/file-descriptors.ts";
import { SETTINGS } from "../../src/config/settings.ts";
import { systemdUnit } from "../../src/operate/service/unit.ts";

const limits = (soft: string) => `Limit                     Soft Limit           Hard Limit           Units
Max cpu time              unlimited            unlimited            seconds
Max open files            ${soft.padEnd(20)} 524288               files
Max locked memory         8388608              8388608              bytes
`;

test.each([
  ["1024", 1024],
  ["unlimited", Number.POSITIVE_INFINITY],
])("the operating system's limit of %s open files is read", (soft, files) => {
  expect(openFilesLimit(limits(soft))).toBe(files);
});

test("without a stated limit, the limit is infinite", () => {
  expect(openFilesLimit("")).toBe(Number.POSITIVE_INFINITY);
});

test("a server that may open too few files is refused, and each worker needs some more", () => {
  expect(() => assertFileLimit(64, 1)).not.toThrow();
  expect(() => assertFileLimit(76, 4)).not.toThrow();
  expect(() => assertFileLimit(75, 4)).toThrow(
    "this process may open only 75 files: raise LimitNOFILE in the unit, or ulimit -n, to 76 or more",
  );
});

test.each([
  ["no limit", Number.POSITIVE_INFINITY, 10_000, 1024],
  ["as many files as they need", 62_304, 10_000, 1024],
  ["one file fewer", 62_303, 9999, 1024],
  ["4,096 files", 4096, 469, 512],
  ["256 files", 256, 10, 32],
  ["three files", 3, 1, 1],
])(
  "the budget of connections with %s has two files for each HTTP connection, four for each HTTPS one and two for each HTTP/2 response of the limit",
  (_, files, maxConnections, maxResponses) => {
    expect(descriptorBudget(10_000, 1024, files, true)).toMatchObject({ maxConnections, maxResponses });
  },
);

test.each([
  ["as many files as they need", 20_256, 10_000],
  ["4,096 files", 4096, 1920],
])("the budget of connections with %s and no HTTPS has them all for HTTP", (_, files, connections) => {
  expect(descriptorBudget(10_000, 1024, files, false).maxConnections).toBe(connections);
});

test("a budget that allows fewer than half of the connections names the setting to change", () => {
  expect(descriptorBudget(10_000, 1024, 62_304, true).advice).toBeUndefined();
  expect(descriptorBudget(10_000, 1024, 10_256, false)).toEqual({
    maxConnections: 5000,
    maxResponses: 0,
  });
  expect(descriptorBudget(10_000, 1024, 10_255, false).advice).toStartWith("at most 4999 connections");
  expect(descriptorBudget(10_000, 1024, 4096, true).advice).toBe(
    "at most 469 connections over HTTP, and as many over HTTPS, instead of 10000: this process may open 4096 files; LimitNOFILE=62304 in the unit, or ulimit -n 62304, allows them all",
  );
  expect(descriptorBudget(10_000, 1024, 4096, false).advice).toStartWith(
    "at most 1920 connections over HTTP instead of 10000: ",
  );
});

test("readiness fails while all responses over HTTP/2 are in use", () => {
  expect(() => assertResponses({ open: 1023, limit: 1024 })).not.toThrow();
  expect(() => assertResponses({ open: 1024, limit: 1024 })).toThrow(
    "1024 of 1024 responses over HTTP/2 are open: clients are not reading them",
  );
});

test("readiness fails when hardly any file can be opened, and names the limit to raise", () => {
  expect(() => assertDescriptors({ open: 4081, limit: 4096 })).toThrow(
    "4081 of 4096 files are open: raise LimitNOFILE in the unit, or ulimit -n",
  );
  expect(() => assertDescriptors({ open: 4080, limit: 4096 })).not.toThrow();
});

test("readiness has a warning while the reserve of open files is in use", () => {
  expect(descriptorWarnings({ open: 3841, limit: 4096 })).toEqual([
    { code: "few_file_descriptors", count: 1, message: expect.stringContaining("3841 of 4096") },
  ]);
  expect(descriptorWarnings({ open: 3840, limit: 4096 })).toEqual([]);
  expect(descriptorWarnings({ open: 9000, limit: Number.POSITIVE_INFINITY })).toEqual([]);
});

const streams = (wanted: number, files: number) =>
  streamBudget(wanted, descriptorBudget(10_000, 1024, files, true));

test("the budget of event streams is at most half of the connections, and the advice names both", () => {
  expect(streams(1000, 65_536)).toEqual({ maxStreams: 1000 });
  expect(streams(234, 4096)).toEqual({ maxStreams: 234 });
  expect(streams(235, 4096)).toEqual({
    maxStreams: 234,
    advice:
      "at most 234 event streams instead of 235, because each holds one of 469 connections: raise LimitNOFILE in the unit, or ulimit -n",
  });
  expect(streams(1000, 3).maxStreams).toBe(1);
});

test("the budget of event streams fits the largest EVENT_STREAMS with the service's LimitNOFILE", () => {
  const [, files] = /^LimitNOFILE=(\d+)$/m.exec(systemdUnit()) ?? [];
  const largest = SETTINGS.eventStreams.parse("5000");
  expect(SETTINGS.eventStreams.parse("5001")).toBeUndefined();
  expect(streams(Number(largest), Number(files))).toEqual({ maxStreams: 5000 });
});
