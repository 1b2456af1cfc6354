import { expect, test } from "bun:test";
import { bundle } from "../../src/lib/bundle.ts";

const LIMIT = 90 * 1024;

test("the console's script and style sheet are at most 90 KB compressed", () => {
  const sizes = ["console/ui/main.tsx", "console/ui/style.css"].map(
    (entry) => Bun.gzipSync(Buffer.from(bundle(entry)), { level: 9 }).byteLength,
  );
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(LIMIT);
});
