import { expect, test } from "bun:test";
import { join } from "node:path";

const readme = await Bun.file(join(import.meta.dir, "../README.md")).text();

test("README is one page: at most 10 KB", () => {
  expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(10 * 1024);
});

test("README shows how to start and test a fresh clone", () => {
  for (const script of ["start", "test"])
    expect(readme).toContain(`npx --yes bun@${Bun.version} run ${script}`);
});
