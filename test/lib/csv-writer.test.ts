import fc from "fast-check";
import { expect, test } from "bun:test";
import { csvLine, guardFormula, quote, unguardFormula } from "../../src/lib/csv-writer.ts";
import { words } from "../support/words.ts";

test.each(["Bella", "", "a b", "a'b", "é", "a|b"])(
  "a cell of CSV that needs no quotes is written unchanged: %p",
  (cell) => {
    expect(quote(cell)).toBe(cell);
  },
);

test.each([
  ["a,b", '"a,b"'],
  ["a;b", '"a;b"'],
  ["a\tb", '"a\tb"'],
  ["a\nb", '"a\nb"'],
  ["a\rb", '"a\rb"'],
  [" a", '" a"'],
  ["a ", '"a "'],
  ['say "hi" twice "hi"', '"say ""hi"" twice ""hi"""'],
])("a cell of CSV with a special character is quoted: %p", (cell, written) => {
  expect(quote(cell)).toBe(written);
});

test("a line of CSV ends in a line feed, and separates its cells with commas or the given separator", () => {
  expect(csvLine(["Bella", "3", ""])).toBe("Bella,3,\n");
  expect(csvLine(["Bella", "3", ""], "|")).toBe("Bella|3|\n");
  expect(csvLine([])).toBe("\n");
});

test("a line of CSV quotes cells that contain its separator, and quotes them once", () => {
  expect(csvLine(["a|b", "c"], "|")).toBe('"a|b"|c\n');
  expect(csvLine(["a,b", "c"], "|")).toBe('"a,b"|c\n');
  expect(csvLine(["a|b,c"], "|")).toBe('"a|b,c"\n');
  expect(csvLine(['a|"b"'], "|")).toBe('"a|""b"""\n');
});

test.each(["- good with children\n", "\t'"])(
  "a long text of %j is restored exactly, in linear time",
  (part) => {
    const text = part.repeat(65_536);
    expect(unguardFormula(guardFormula(text))).toBe(text);
  },
);

/** A caret marks each guard. With the separator ; the quotes in a text belong to the file. */
const FORMULAS = [
  ...words(`
    ^=1+1 ^+1 ^-1 ^@sum ^＝1+1 ^＋1 ^－1 ^＠sum ^﹦1 a;^=1;b ^=1;^-2;b a;^'=1 a;^"=1;b ^'=1 ^''=1`),
  "^\tx",
  "^\rx",
  "^\nx",
  "^ =1",
  "^\u3000=1",
  "^ '=1",
  "a\t^=1",
];

test.each(FORMULAS)(
  "a text that a spreadsheet would interpret as a formula is guarded, and restored exactly: %p",
  (marked) => {
    const [text, guarded] = [marked.replaceAll("^", ""), marked.replaceAll("^", "'")];
    expect(guardFormula(text)).toBe(guarded);
    expect(unguardFormula(guarded)).toBe(text);
  },
);

test.each(["Bella", "", "1=1", "'Bella", "a-b", "a'=b", "'", " x", "a; b", "a,=1"])(
  "a text that no spreadsheet interprets as a formula needs no guard: %p",
  (text) => {
    expect(guardFormula(text)).toBe(text);
    expect(unguardFormula(text)).toBe(text);
  },
);

test("a formula without a guard is read unchanged", () => {
  expect(unguardFormula("=1")).toBe("=1");
});

test("a text that a spreadsheet would interpret as a formula is restored exactly, and no cell of any delimiter begins with a formula", () => {
  const text = fc.string({
    unit: fc.constantFrom(..."'=+-@＝＋－＠ \t\r\n;,|\"a🐶\u3000\uFEFF"),
    maxLength: 12,
  });
  fc.assert(
    fc.property(text, (original) => {
      const guarded = guardFormula(original);
      expect(unguardFormula(guarded)).toBe(original);
      for (const cell of guarded.split(/[;\t\r\n]/)) expect(cell).not.toMatch(/^["\s]*[=+\-@＝＋－＠]/);
    }),
    { numRuns: 5000 },
  );
});
