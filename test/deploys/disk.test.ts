import { expect, test } from "bun:test";
import { join } from "node:path";
import { syncFileSystem } from "../../src/deploys/disk.ts";
import { temporaryDirectory } from "../support/store.ts";

test("a whole file system is said to be durable only if it was asked for, and nothing failed", async () => {
  const root = temporaryDirectory();
  if (Bun.which("sync")) expect(await syncFileSystem(root)).toBe(true);
  expect(await syncFileSystem(join(root, "none"))).toBe(false);
});
