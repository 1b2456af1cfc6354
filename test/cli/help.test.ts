import { describe, expect, test } from "bun:test";
import type { Command } from "commander";
import { fullName } from "../../src/cli/command.ts";
import { program } from "../../src/cli/program.ts";

const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];

/** The help of every command on a terminal of this width. */
const helpAt = (width: number): (readonly [name: string, lines: string[]])[] =>
  all(program()).map((command) => {
    command.configureOutput({ getOutHelpWidth: () => width });
    return [fullName(command), command.helpInformation().split("\n")];
  });

const linesOf = (name: string, width: number): string[] =>
  new Map(helpAt(width)).get(`adoption-store ${name}`) ?? [];

describe.each([80, 60, 40])("on a terminal of %d columns", (width) => {
  test("no line of any help is longer than the terminal, unless it is one word", () => {
    const tooLong = helpAt(width).flatMap(([name, lines]) =>
      lines
        .filter((line) => line.length > width && / (?!\\$)/.test(line.trim().replace(/^[#>] /, "")))
        .map((line) => `${name}: ${line}`),
    );
    expect(tooLong).toEqual([]);
  });

  test("no text continues in column 0 after an indented line", () => {
    const fallen = helpAt(width).flatMap(([name, lines]) =>
      lines
        .filter((line, at) => /^\S/.test(line) && lines[at - 1]?.startsWith(" "))
        .map((line) => `${name}: ${line}`),
    );
    expect(fallen).toEqual([]);
  });

  test("a description continues in the column in which it begins", () => {
    for (const [name, lines] of helpAt(width)) {
      const start = lines.findIndex((line) => /options:$/i.test(line));
      const items = lines.slice(start + 1, lines.indexOf("", start));
      const columns = items.filter((line) => line.startsWith("    ")).map((line) => line.search(/\S/));
      expect([name, new Set(columns).size]).toEqual([name, columns.length > 0 ? 1 : 0]);
    }
  });
});

test("a description has its own lines where a column would be narrow", () => {
  const wide = linesOf("status", 80);
  expect(wide).toContain("  --data-dir <directory>  directory of the database, the sites and the first key");
  const narrow = linesOf("status", 40);
  const at = narrow.indexOf("  --data-dir <directory>");
  expect(narrow.slice(at + 1, at + 3)).toEqual([
    "      directory of the database, the",
    "      sites and the first key (env",
  ]);
});

test.each([
  ["categories", /^ {2}add <names\.\.\.> /],
  ["backup", /^Usage: adoption-store backup \[options\] <file\.\.\.>$/],
])("the help of %s shows that an argument may be repeated", (name, line) => {
  expect(linesOf(name, 80)).toContainEqual(expect.stringMatching(line));
});

test("a list in a note keeps its column", () => {
  const lines = linesOf("keys create", 60);
  const at = lines.findIndex((line) => line.startsWith("  pets:write"));
  expect(lines.slice(at, at + 2)).toEqual([
    "  pets:write      add, change and delete animals and",
    "                  categories",
  ]);
});

test("an example is split between its words, and can still be copied", () => {
  const lines = linesOf("people add", 40);
  const at = lines.findIndex((line) => line.includes("adoption-store people add --name"));
  expect(lines.slice(at, at + 4)).toEqual([
    "  adoption-store people add --name \\",
    "    'Ada Byron' \\",
    "    --email ada@example.org --role \\",
    "    volunteer",
  ]);
});

test("the usage of a command continues after its heading", () => {
  expect(linesOf("service print", 40).slice(0, 2)).toEqual([
    "Usage: adoption-store service print",
    "       [options] <file>",
  ]);
});
