import { expect, test } from "bun:test";
import { bundledOnTerminal, inProcess } from "../program.ts";
import { temporaryDirectory } from "../../support/store.ts";

const onTerminal = bundledOnTerminal();
const RED = "\u001B[31m";
const BOLD = "\u001B[1m";

test("on a terminal the errors are red and the headings of help bold", async () => {
  expect((await onTerminal(["nonsense"], {})).shown).toStartWith(`${RED}adoption-store:`);
  expect((await onTerminal(["help"], {})).shown).toContain(`${BOLD}Usage:`);
});

test("on a terminal with NO_COLOR nothing is coloured", async () => {
  for (const argv of [["nonsense"], ["help"], []])
    expect((await onTerminal(argv, { NO_COLOR: "1" })).shown).not.toContain("\u001B");
});

test("what is not on a terminal has no colours", async () => {
  const env = { DATA_DIR: temporaryDirectory() };
  for (const argv of [["nonsense"], ["help"], ["doctor", "--port", "0"], ["status"]]) {
    const { out, error } = await inProcess(argv, { env });
    expect(out + error).not.toContain("\u001B");
  }
});
