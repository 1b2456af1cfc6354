import { expect, test } from "bun:test";
import { statSync, writeFileSync } from "node:fs";
import { nodeIdOf } from "../../../src/data/cluster/open-replica.ts";
import { nodeIdPath } from "../../../src/data/data-dir/paths.ts";
import { temporaryDirectory } from "../../support/store.ts";

test("a node keeps its id, in a file for its user alone", () => {
  const dataDir = temporaryDirectory();
  const id = nodeIdOf(dataDir);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(nodeIdOf(dataDir)).toBe(id);
  expect(statSync(nodeIdPath(dataDir)).mode & 0o777).toBe(0o600);
});

test("two nodes have different ids", () => {
  expect(nodeIdOf(temporaryDirectory())).not.toBe(nodeIdOf(temporaryDirectory()));
});

test("a damaged file is replaced, for its user alone", () => {
  const dataDir = temporaryDirectory();
  writeFileSync(nodeIdPath(dataDir), "x", { mode: 0o644 });
  const id = nodeIdOf(dataDir);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(nodeIdOf(dataDir)).toBe(id);
  expect(statSync(nodeIdPath(dataDir)).mode & 0o777).toBe(0o600);
});
