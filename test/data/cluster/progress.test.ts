import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { replicaProgress } from "../../../src/data/cluster/parts.ts";
import { FIRST } from "../../support/cluster.ts";

const promises = (): number => {
  Bun.gc(true);
  return heapStats().objectTypeCounts["Promise"] ?? 0;
};

test("reads that gave up leave nothing in memory, however long records cannot be applied", async () => {
  const progress = replicaProgress(FIRST);
  const before = promises();
  const reads = await Promise.allSettled(Array.from({ length: 10_000 }, () => progress.reach(1, 1)));
  expect(reads.filter(({ status }) => status === "rejected")).toHaveLength(10_000);
  reads.length = 0;
  expect(promises() - before).toBeLessThan(1000);
  progress.advance({ ...FIRST, position: 1 });
});
