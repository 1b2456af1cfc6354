import { expect, test } from "bun:test";
import { connectionLimits, createListeners, eventStreamLimit } from "../../src/app/listeners.ts";
import { readConfig } from "../../src/config/config.ts";
import { descriptorBudget } from "../../src/edge/file-descriptors.ts";
import { temporaryDirectory } from "../support/store.ts";

const FILES = 1024;
const BUDGET = descriptorBudget(10_000, 1024, FILES, false);

test("the connections of all processes fit the files that one of them may open", () => {
  const alone = connectionLimits(BUDGET, 1);
  const shared = connectionLimits(BUDGET, 4);
  expect(alone.connections).toBeLessThan(FILES);
  expect(4 * shared.connections).toBe(alone.connections);
});

test("the owner logs once that a process may open too few files, and a worker does not", async () => {
  const env = { DATA_DIR: temporaryDirectory(), HOST: "127.0.0.1", PORT: "0" };
  const config = readConfig({ flags: {}, env, isTerminal: false });
  const warningsOf = async (member?: Parameters<typeof createListeners>[2]) => {
    const warnings: string[] = [];
    const log = { warn: (text: string) => void warnings.push(text) } as never;
    const listeners = createListeners(config, log, member, FILES);
    await listeners.listenForHttp();
    await listeners.listenForHttp();
    await listeners.stop(0);
    return warnings;
  };
  expect(await warningsOf()).toEqual([expect.stringContaining("this process may open 1024 files")]);
  expect(await warningsOf({ challenges: {} as never })).toEqual([]);
});

test("event streams get half of the connections, and the server warns if EVENT_STREAMS is larger", () => {
  const warnings: string[] = [];
  const log = { warn: (text: string) => void warnings.push(text) } as never;
  expect(eventStreamLimit(192, BUDGET, log)).toBe(192);
  expect(warnings).toEqual([]);
  expect(eventStreamLimit(193, BUDGET, log)).toBe(192);
  expect(warnings).toEqual([expect.stringContaining("at most 192 event streams instead of 193")]);
});
