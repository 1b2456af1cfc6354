import fc from "fast-check";
import { describe, expect, test } from "bun:test";
import { csvLine, guardFormula, quote, unguardFormula } from "../../src/lib/csv-writer.ts";

describe("a cell of CSV", () => {
  test.each(["Bella", "", "a b", "a'b", "é", "a|b"])("%p is written unchanged", (cell) => {
    expect(quote(cell)).toBe(cell);
  });

  test.each([
    ["a,b", '"a,b"'],
    ["a;b", '"a;b"'],
    ["a\tb", '"a\tb"'],
    ["a\nb", '"a\nb"'],
    ["a\rb", '"a\rb"'],
    [" a", '" a"'],
    ["a ", '"a "'],
    ['say "hi" twice "hi"', '"say ""hi"" twice ""hi"""'],
  ])("%p is quoted", (cell, written) => {
    expect(quote(cell)).toBe(written);
  });
});

describe("a line of CSV", () => {
  test("ends in a line feed, and separates its cells with commas or the given separator", () => {
    expect(csvLine(["Bella", "3", ""])).toBe("Bella,3,\n");
    expect(csvLine(["Bella", "3", ""], "|")).toBe("Bella|3|\n");
    expect(csvLine([])).toBe("\n");
  });

  test("quotes cells that contain its separator, and quotes them once", () => {
    expect(csvLine(["a|b", "c"], "|")).toBe('"a|b"|c\n');
    expect(csvLine(["a,b", "c"], "|")).toBe('"a,b"|c\n');
    expect(csvLine(["a|b,c"], "|")).toBe('"a|b,c"\n');
    expect(csvLine(['a|"b"'], "|")).toBe('"a|""b"""\n');
  });
});

describe("a text that a spreadsheet would interpret as a formula", () => {
  test("longer than any name is read unchanged, so that a hostile cell cannot cause quadratic time", () => {
    const hostile = "\t'".repeat(65_536);
    expect(unguardFormula(hostile)).toBe(hostile);
  });

  test.each([
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@sum", "'@sum"],
    ["\tx", "'\tx"],
    ["\rx", "'\rx"],
    ["\nx", "'\nx"],
    ["＝1+1", "'＝1+1"],
    ["＋1", "'＋1"],
    ["－1", "'－1"],
    ["＠sum", "'＠sum"],
    ["﹦1", "'﹦1"],
    [" =1", "' =1"],
    ["\u3000=1", "'\u3000=1"],
    [" '=1", "' '=1"],
    ["a;=1;b", "a;'=1;b"],
    ["=1;-2;b", "'=1;'-2;b"],
    ["a;'=1", "a;''=1"],
    ["a\t=1", "a\t'=1"],
    // With the separator ; the quotes belong to the file.
    ['a;"=1;b', `a;'"=1;b`],
    ["'=1", "''=1"],
    ["''=1", "'''=1"],
  ])("%p is guarded, and restored exactly", (text, guarded) => {
    expect(guardFormula(text)).toBe(guarded);
    expect(unguardFormula(guarded)).toBe(text);
  });

  test.each(["Bella", "", "1=1", "'Bella", "a-b", "a'=b", "'", " x", "a; b", "a,=1"])(
    "%p needs no guard",
    (text) => {
      expect(guardFormula(text)).toBe(text);
      expect(unguardFormula(text)).toBe(text);
    },
  );

  test("without a guard stays unchanged", () => {
    expect(unguardFormula("=1")).toBe("=1");
  });

  test("is restored exactly, and no cell of any delimiter begins with a formula", () => {
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
});
