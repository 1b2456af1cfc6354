import { expect, test, describe } from "bun:test";
import { bundledOnTerminal, inProcess } from "./program.ts";
import { temporaryDirectory } from "../support/store.ts";
import { relativeTime, allPages, table } from "../../src/cli/print/output.ts";

const ROWS = [
  ["ID", "NAME", "EMAIL"],
  ["1", "Ada Lovelace of the shelter", "ada@a-rather-long-name.example.org"],
  ["2", "Bo", "-"],
];

describe("a table", () => {
  test("keeps every cell whole without a width, as in a pipe", () => {
    expect(table(ROWS)).toBe(
      [
        "ID  NAME                         EMAIL",
        "1   Ada Lovelace of the shelter  ada@a-rather-long-name.example.org",
        "2   Bo                           -",
      ].join("\n"),
    );
  });

  test("that fits the width is not cut", () => {
    expect(table(ROWS, 67)).toBe(table(ROWS));
  });

  test("that is too wide has its widest columns cut with an ellipsis, and fills the width", () => {
    const cut = table(ROWS, 50).split("\n");
    expect(cut[1]).toBe("1   Ada Lovelace of the s…  ada@a-rather-long-nam…");
    expect(Math.max(...cut.map((line) => Bun.stringWidth(line)))).toBeLessThanOrEqual(50);
  });

  test("counts wide characters as two columns", () => {
    expect(table([["NAME"], ["猫".repeat(20)]], 12)).toBe(`NAME\n${"猫".repeat(5)}…`);
  });

  test("escapes what would move the cursor or turn text around, and keeps what joins letters and emoji", () => {
    const cells = ["a\u001b[31m\r\nb\u009b\u202e", "👩\u200d🌾 می\u200cخواهم"];
    expect(table([["NAME"], ...cells.map((cell) => [cell])]).split("\n")).toEqual([
      "NAME",
      String.raw`a\u001b[31m\u000d\u000ab\u009b\u202e`,
      cells[1]!,
    ]);
  });

  test("keeps eight columns of each cell on a narrow terminal", () => {
    expect(table(ROWS, 10).split("\n")[1]).toBe("1   Ada Lov…  ada@a-r…");
  });
});

test("all pages of a list are fetched in order, and none after the last", async () => {
  const pages = [
    { items: [1, 2], next: "b" },
    { items: [3], next: "c" },
    { items: [], next: undefined },
  ];
  const cursors: (string | undefined)[] = [];
  const rows = await allPages<number>(async ({ cursor }) => {
    cursors.push(cursor);
    return pages[cursors.length - 1] ?? { items: [9], next: undefined };
  });
  expect(rows).toEqual([1, 2, 3]);
  expect(cursors).toEqual([undefined, "b", "c"]);
});

const NOW = Date.UTC(2026, 10, 20);
const MINUTE = 60_000;

test.each([
  [0, "just now"],
  [400, "just now"],
  [-1000, "1 second ago"],
  [-59_000, "59 seconds ago"],
  [-MINUTE, "1 minute ago"],
  [-3 * MINUTE - 29_000, "3 minutes ago"],
  [90 * 24 * 60 * MINUTE - 1000, "in 90 days"],
  [-60 * MINUTE, "1 hour ago"],
  [-24 * 60 * MINUTE, "1 day ago"],
  [90 * 24 * 60 * MINUTE, "in 90 days"],
  [365 * 24 * 60 * MINUTE, "in 1 year"],
])("a time %p ms from now is %p", (offset, text) => {
  expect(relativeTime(NOW + offset, NOW)).toBe(text);
});

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

test("output that is not on a terminal has no colours", async () => {
  const env = { DATA_DIR: temporaryDirectory() };
  for (const argv of [["nonsense"], ["help"], ["doctor", "--port", "0"], ["status"]]) {
    const { out, error } = await inProcess(argv, { env });
    expect(out + error).not.toContain("\u001B");
  }
});
