import { expect, test } from "bun:test";
import { join } from "node:path";
import { syncFileSystem } from "../../../src/platform/deploys/disk-space.ts";
import { temporaryDirectory } from "../../support/store.ts";

test("syncFileSystem returns true only if the program ran without an error", async () => {
  const root = temporaryDirectory();
  if (Bun.which("sync")) expect(await syncFileSystem(root)).toBe(true);
  expect(await syncFileSystem(join(root, "none"))).toBe(false);
});
