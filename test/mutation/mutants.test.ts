import { expect, test } from "bun:test";
import { MODULES } from "./modules.ts";
import { mutantsOf } from "./mutants.ts";
import { regexMutations } from "./regex.ts";
import { parseSurvivors, readSurvivors } from "./survivors.ts";

const CASES: [what: string, module: string, mutants: string[]][] = [
  ["a comparison", "f(a < b);", ["{}", "f(a <= b);", "f(a >= b);"]],
  ["an equality", "f(a === b);", ["{}", "f(a !== b);"]],
  ["an operator of arithmetic", "f(a * b);", ["{}", "f(a / b);"]],
  ["a logical operator", "f(a && b);", ["{}", "f((a));", "f((b));"]],
  ["a default", "f(a ?? b);", ["{}", "f((a));", "f((b));"]],
  ["an optional chain", "f(a?.b);", ["{}", "f(a.b);"]],
  ["a negation", "f(!a);", ["{}", "f((a));"]],
  ["a number", "const a = 50;", ["const a = 51;", "const a = 49;"]],
  ["a zero", "const a = 0;", ["const a = 1;"]],
  ["a fraction", "const a = 0.2;", ["const a = 0.4;", "const a = 0.1;"]],
  ["a boolean", "const a = true;", ["const a = false;"]],
  ["a string", 'const a = "b";', ['const a = "";']],
  ["an empty string", 'const a = "";', ['const a = "mutant";']],
  ["a template", "const a = `${b}`;", ["const a = ``;"]],
  [
    "a statement",
    "const a = sql`WHERE ${b} = ${c} AND d IS NULL ORDER BY e DESC`;",
    [
      "const a = sql`WHERE ${b} <> ${c} AND d IS NULL ORDER BY e DESC`;",
      "const a = sql`WHERE ${b} = ${c} OR d IS NULL ORDER BY e DESC`;",
      "const a = sql`WHERE ${b} = ${c} AND d IS NOT NULL ORDER BY e DESC`;",
      "const a = sql`WHERE ${b} = ${c} AND d IS NULL ORDER BY e`;",
    ],
  ],
  ["a list", "const a = [b];", ["const a = [];"]],
  ["a method that has an opposite", "const a = b.some(c);", ["const a = b.every(c);"]],
  ["a method that can be left out", "const a = b.trim();", ["const a = b;"]],
  ["a condition", "if (a) b();", ["if (true) b();", "if (false) b();", "if (a) {}"]],
  ["the condition of a loop", "while (a) b();", ["while (false) b();", "while (a) {}"]],
  ["what a function returns", "const a = () => b;", ["const a = () => undefined;"]],
  ["a type", "type A = 1 | 'b';", []],
  ["an import", 'import { a } from "b";', []],
  ["a key", 'const a = { "b-c": d };', []],
];

test.each(CASES)("%s has its mutants", (_, module, mutants) => {
  expect(mutantsOf(`${module}\n`).map(({ text }) => text.trimEnd())).toEqual(mutants);
});

test("a mutant is identified by its lines, without their indentation, and by the line's number", () => {
  const [mutant] = mutantsOf("const a = {\n  b: 0,\n};\n");
  expect(mutant).toEqual({ line: 2, was: "b: 0,", becomes: "b: 1,", text: "const a = {\n  b: 1,\n};\n" });
});

test.each([
  ["/^a$/", ["/a$/", "/^a/"]],
  ["/[a-z]+/i", ["/[^a-z]+/i", "/[a-z]*/i", "/[a-z]+/"]],
  ["/[^a]b{2,3}/", ["/[a]b{2,3}/", "/[^a]b{3,3}/", "/[^a]b{1,3}/", "/[^a]b{2,4}/", "/[^a]b{2,2}/"]],
  ["/a\\$\\^/", []],
  ["/a?(?:b)?/", ["/a(?:b)?/", "/a?(?:b)/"]],
  [String.raw`/[$^[+?\]]/`, [String.raw`/[^$^[+?\]]/`]],
])("the regular expression %s has its mutants", (literal, mutants) => {
  expect(regexMutations(literal)).toEqual(mutants);
});

test("the modules of the table and their tests are there", async () => {
  const named = [...Object.keys(MODULES), ...Object.values(MODULES).flat()];
  const exists = await Promise.all(
    named.map((file) => Bun.file(`${import.meta.dir}/../../${file}`).exists()),
  );
  expect(named.filter((_, index) => !exists[index])).toEqual([]);
});

test("survivors are listed below their module and their reason", () => {
  const text =
    "# A list\n\na.ts: It is the same.\n  - b\n  + c\n  - d\n  + e\n\na.ts: So is this.\n  - f\n  + g\n";
  expect(parseSurvivors(text)).toEqual([
    { module: "a.ts", reason: "It is the same.", was: "b", becomes: "c" },
    { module: "a.ts", reason: "It is the same.", was: "d", becomes: "e" },
    { module: "a.ts", reason: "So is this.", was: "f", becomes: "g" },
  ]);
  expect(() => parseSurvivors("a.ts\n")).toThrow('"a.ts" is neither');
});

test("every listed survivor is of a module of the table, and has a reason", async () => {
  for (const { module, reason } of await readSurvivors()) {
    expect(Object.keys(MODULES)).toContain(module);
    expect(reason).toMatch(/^[A-Z].+\.$/);
  }
});
