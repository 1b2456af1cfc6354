import { expect, test } from "bun:test";
import { processDamagedImages } from "../store/photos/fuzz.ts";

test("10,000 damaged images are refused or become photos, and the process stays up", async () => {
  const accepted = await processDamagedImages(10_000);
  // Both ends are reached: otherwise the images would test nothing.
  expect(accepted).toBeGreaterThan(500);
  expect(accepted).toBeLessThan(9500);
}, 600_000);
