import { expect, test } from "bun:test";
import { connectionLimits } from "../../src/app/listeners.ts";

const FILES = 1024;

test("the connections of all processes fit the files that one of them may open", () => {
  const warnings: unknown[] = [];
  const log = { warn: (text: unknown) => void warnings.push(text) };
  const alone = connectionLimits({ workers: 1, httpsPort: undefined }, FILES, log);
  const shared = connectionLimits({ workers: 4, httpsPort: undefined }, FILES, log);
  expect(alone.connections).toBeLessThan(FILES);
  expect(4 * shared.connections).toBe(alone.connections);
  expect(warnings).toHaveLength(2);
});
