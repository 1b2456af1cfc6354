import { expect, test } from "bun:test";
import { clockCommand } from "../../src/cli/clock.ts";
import { clockJump, trustTime } from "../../src/data/data-dir/clock.ts";
import { DAY_MS } from "../../src/lib/time.ts";
import { createStore } from "../support/new-store.ts";
import { temporaryDirectory } from "../support/ends.ts";
import { inProcess } from "./program.ts";

const NAME = clockCommand().name();

const clock = async (dataDir: string, ...flags: string[]) => {
  const { out, code } = await inProcess([NAME, ...flags, "--json", "--data-dir", dataDir]);
  return { code, ...(JSON.parse(out) as { trusted: boolean; expected?: string }) };
};

test("the command for the clock reports a jump with exit code 1, until it is confirmed", async () => {
  const dataDir = temporaryDirectory();
  await createStore(dataDir);
  expect(await clock(dataDir)).toMatchObject({ code: 0, trusted: true });
  const expected = Date.now() - 3 * DAY_MS;
  await trustTime(dataDir, expected);
  expect(await clock(dataDir)).toMatchObject({
    code: 1,
    trusted: false,
    expected: new Date(expected).toISOString(),
  });
  expect(await clock(dataDir, "--confirm")).toMatchObject({ code: 0, trusted: true });
  expect(clockJump(dataDir, Date.now())).toBeUndefined();
});
