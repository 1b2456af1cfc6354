import { expect, test } from "bun:test";
import { brotliCompressSync, constants } from "node:zlib";
import { bundle } from "../../src/lib/bundle.ts";

const LIMIT = 90_000;

/** As the server sends it to browsers. */
const sizeOf = (entry: string): number =>
  brotliCompressSync(bundle(entry), { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }).byteLength;

test("the console's script and style sheet are at most 90 KB compressed", () => {
  expect(sizeOf("console/ui/main.tsx") + sizeOf("console/ui/style.css")).toBeLessThanOrEqual(LIMIT);
});
