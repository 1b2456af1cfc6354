import { expect, test } from "bun:test";
import { memoryMaxOf, systemdUnit } from "../../../src/operate/service/unit.ts";

test("the unit limits the memory to three quarters of the machine unless another limit is given", () => {
  expect(memoryMaxOf(systemdUnit())).toBe("75%");
  expect(memoryMaxOf(systemdUnit({ memoryMax: "2147483648" }))).toBe("2147483648");
});

test("a unit from before the memory limit has none", () => {
  expect(memoryMaxOf(systemdUnit().replace(/^MemoryMax=.*\n/m, ""))).toBeUndefined();
});

test("the unit writes no core dumps, which would contain keys", () => {
  expect(systemdUnit()).toContain("\nLimitCORE=0\n");
});

test("systemd refuses no start, because a pause already separates automatic ones", () => {
  const [head = "", service = ""] = systemdUnit().split("\n[Service]\n");
  expect(head).toContain("\nStartLimitIntervalSec=0");
  expect(service).toContain("\nRestart=on-failure\nRestartSec=2\n");
});
