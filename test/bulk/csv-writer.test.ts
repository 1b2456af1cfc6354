import { describe, expect, test } from "bun:test";
import { csvLine, guardFormula, quote, unguardFormula } from "../../src/bulk/csv-writer.ts";

describe("a cell of CSV", () => {
  test.each(["Bella", "", "a b", "a'b", "é", "a|b"])("%p is written as it is", (cell) => {
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
  test("ends in a line feed, and has commas between its cells unless another separator is asked for", () => {
    expect(csvLine(["Bella", "3", ""])).toBe("Bella,3,\n");
    expect(csvLine(["Bella", "3", ""], "|")).toBe("Bella|3|\n");
    expect(csvLine([])).toBe("\n");
  });

  test("quotes its separator, whichever that is, and once", () => {
    expect(csvLine(["a|b", "c"], "|")).toBe('"a|b"|c\n');
    expect(csvLine(["a,b", "c"], "|")).toBe('"a,b"|c\n');
    expect(csvLine(["a|b,c"], "|")).toBe('"a|b,c"\n');
    expect(csvLine(['a|"b"'], "|")).toBe('"a|""b"""\n');
  });
});

describe("a text that a spreadsheet would compute", () => {
  test.each([
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@sum", "'@sum"],
    ["\tx", "'\tx"],
    ["\rx", "'\rx"],
    ["'=1", "''=1"],
    ["''=1", "'''=1"],
  ])("%p is guarded, and comes back as it was", (text, guarded) => {
    expect(guardFormula(text)).toBe(guarded);
    expect(unguardFormula(guarded)).toBe(text);
  });

  test.each(["Bella", "", "1=1", "'Bella", "a-b", "a'=b", "'"])("%p needs no guard", (text) => {
    expect(guardFormula(text)).toBe(text);
    expect(unguardFormula(text)).toBe(text);
  });

  test("without a guard is taken as it is", () => {
    expect(unguardFormula("=1")).toBe("=1");
  });
});
