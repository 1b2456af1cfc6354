import { describe, expect, test } from "bun:test";
import { table } from "../../../src/cli/print/output.ts";

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
