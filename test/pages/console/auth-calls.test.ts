import { expect, test } from "bun:test";
import { isAuthWrite } from "../../../src/pages/console/ui/api/client.ts";

test.each([
  ["GET", "sessions", false],
  ["POST", "invitation", false],
  ["POST", "invitation/accept", true],
  ["DELETE", "sessions", true],
])("%s of console/auth/%s counts as a write: %p", (method, path, isWrite) => {
  expect(isAuthWrite(method, path)).toBe(isWrite);
});
