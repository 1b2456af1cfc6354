import { clockJump, describeJump, trustTime } from "../data/data-dir/clock.ts";
import { assertDatabase, assertDataDir } from "../data/data-dir/checks.ts";
import { formatTime } from "../lib/time.ts";
import { command } from "./command.ts";
import { configOf } from "./settings.ts";

export const clockCommand = command({
  name: "clock",
  summary: "show whether the clock has jumped, and confirm it",
  description:
    "show whether the machine's clock has jumped by more than a day, and confirm its time; until then, the server deletes nothing by age",
  takes: {
    "--confirm": "the clock is right: delete by age again",
    "--json": "print JSON",
  },
  notes: [
    "Compare the time with another clock before you confirm it. With a wrong time, the server would delete audit entries, stored responses, sessions and backups too early.",
  ],
  exitCodes: { 0: "the clock is trusted", 1: "the clock has jumped" },
  examples: {
    "Show whether the clock has jumped": "",
    "Confirm the time after the server was stopped for more than a day": "--confirm",
  },
  async run({ confirm = false, ...flags }) {
    const { dataDir } = configOf(flags);
    assertDataDir(dataDir);
    assertDatabase(dataDir, { create: false });
    const now = Date.now();
    if (confirm) await trustTime(dataDir, now);
    const jump = clockJump(dataDir, now);
    process.exitCode = jump ? 1 : 0;
    return {
      json: { now: formatTime(now), trusted: !jump, ...(jump && { expected: formatTime(jump.expected) }) },
      text: jump ? describeJump(jump) : `The clock shows ${formatTime(now)}, and is trusted.`,
    };
  },
});
