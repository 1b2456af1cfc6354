import { describe, expect, test } from "bun:test";
import type { Command } from "commander";
import { complete } from "../../src/cli/completion/complete.ts";
import { fullName } from "../../src/cli/help/help-command.ts";
import { manualPage } from "../../src/cli/help/man.ts";
import { program } from "../../src/cli/program.ts";
import { SETTINGS } from "../../src/config/settings.ts";
import { inProcess } from "./program.ts";

/** The values that are suggested for a line, whose last word is being typed. */
const valuesFor = (line: string): string[] =>
  complete(program(), line.split(" ")).candidates.map(({ value }) => value);

const kindFor = (line: string): string => complete(program(), line.split(" ")).kind;

describe("completion", () => {
  test.each([
    ["keys cr", ["create"]],
    ["ke", ["keys"]],
    ["help keys re", ["revoke"]],
    ["keys create --sc", ["--scope"]],
    ["keys create --scope pets:w", ["pets:write"]],
    ["keys create --scope pets:read pets:w", ["pets:write"]],
    ["keys create --scope pets:read --expires 9d --na", ["--name"]],
    ["--data-dir /srv keys cr", ["create"]],
    ["serve --log-level de", ["debug"]],
    ["serve --log-level=de", ["--log-level=debug"]],
    ["serve --no-c", ["--no-console"]],
    ["import animals.csv --format n", ["ndjson"]],
    ["openapi pl", ["platform"]],
    ["completion f", ["fish"]],
    ["nonsense x", []],
    ["keys create --name cr", []],
    ["keys revoke 1 2 ", []],
  ])("of %j suggests %j", (line, values) => {
    expect(valuesFor(line)).toEqual(values);
  });

  test.each([
    ["import ", "files"],
    ["import --rejected ", "files"],
    ["serve --acme-ca-file ", "files"],
    ["deploy ", "directories"],
    ["keys list --data-dir ", "directories"],
    ["keys ", "words"],
  ])("of %j suggests %s", (line, kind) => {
    expect(kindFor(line)).toBe(kind);
  });

  test("takes the words that bash separates at = and :", () => {
    const values = (words: string[]) => complete(program(), words).candidates.map(({ value }) => value);
    expect(values(["serve", "--log-level", "=", "de"])).toEqual(["debug"]);
    expect(values(["serve", "--log-level", "="])).toContain("debug");
    expect(values(["keys", "create", "--scope", "pets", ":", "w"])).toEqual(["pets:write"]);
    expect(values(["keys", "create", "--scope", "pets", ":"])).toEqual(["pets:read", "pets:write"]);
  });

  test("is printed as its kind and a candidate a line", async () => {
    const { out, code } = await inProcess(["__complete", "keys", "ro"]);
    expect([code, out]).toEqual([
      0,
      "words\nrotate\treplace the secret of a key and print the new one, which is shown only once\n",
    ]);
  });

  test.each(["bash", "zsh", "fish"])("has a script for %s that calls the program", async (shell) => {
    const { out, code } = await inProcess(["completion", shell]);
    expect([code, out]).toEqual([0, expect.stringContaining("__complete")]);
  });
});

describe("the manual page", () => {
  const leavesOf = (command: Command): Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
  const page = manualPage(program(), "1.0.0").replaceAll("\\-", "-");

  test("describes every command, visible option and setting", () => {
    const words = [
      ...leavesOf(program()).flatMap((command) => [
        `\n.SS ${fullName(command)}`,
        ...command.options
          .filter(({ hidden }) => !hidden)
          .map(({ long }) => long?.replace(/^--(no-)?/, "") ?? ""),
      ]),
      ...Object.values(SETTINGS).map(({ env }) => `\n${env}, ${env.toLowerCase()}`),
    ];
    expect(words.filter((word) => !page.includes(word))).toEqual([]);
  });

  test("has no line that text begins with a dot or a quote", () => {
    const controls = page.split("\n").filter((line) => /^[.']/.test(line));
    expect(controls.filter((line) => !/^\.(TH|SH|SS|TP|PP|RS|RE|EX|EE|nf|fi|br)\b/.test(line))).toEqual([]);
  });
});
