import { expect, test } from "bun:test";
import { join } from "node:path";
import { once } from "../../src/lib/lazy.ts";
import { temporaryDirectory } from "../support/store.ts";

/** The files that each request runs through. */
const trace = once(async () => {
  const command = [process.execPath, join(import.meta.dir, "traced.ts"), temporaryDirectory()];
  const run = Bun.spawn(command, { stdout: "pipe" });
  return JSON.parse(await new Response(run.stdout).text()) as Record<string, string[]>;
});

test.each([
  ["a cached GET /v1/pets", "cachedList", "store/pets/endpoints.ts", 18],
  ["a GET /v1/pets after a write", "uncachedList", "store/pets/repository.ts", 32],
  ["a POST of a domain", "addedDomain", "platform/domains/repository.ts", 35],
])(
  "%s runs through few files of src from request to response",
  async (_request, name, file, maxFiles) => {
    const files = (await trace())[name];
    expect(files).toContain("edge/http-listener.ts");
    expect(files).toContain(file);
    expect(files?.length).toBeLessThanOrEqual(maxFiles);
  },
  60_000,
);
