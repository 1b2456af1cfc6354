import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryDirectory } from "../support/store.ts";

const MAX_FILES = 21;

test("a cached GET /v1/pets runs through few files of src from request to response", async () => {
  const command = [process.execPath, join(import.meta.dir, "traced.ts"), temporaryDirectory()];
  const run = Bun.spawn(command, { stdout: "pipe" });
  const files = JSON.parse(await new Response(run.stdout).text()) as string[];
  expect(files).toContain("edge/http-listener.ts");
  expect(files).toContain("store/pets/endpoints.ts");
  expect(files.length).toBeLessThanOrEqual(MAX_FILES);
}, 60_000);
