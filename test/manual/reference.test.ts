import { describe, expect, test } from "bun:test";
import { program } from "../../src/cli/program.ts";
import { serveCommand } from "../../src/cli/serve.ts";
import { readConfig } from "../../src/config/config.ts";
import { SETTINGS, type Setting } from "../../src/config/settings.ts";
import { FAULTS } from "../../src/lib/errors.ts";
import { SCOPES } from "../../src/lib/scopes.ts";
import { PAGES, markdownOf } from "../../src/manual/pages.ts";

/** The Markdown of a page of the reference, with its generated parts. */
const reference = async (name: string): Promise<string> => {
  const page = PAGES.find(({ path }) => path === `reference/${name}`);
  if (!page) throw new Error(`the reference has no page ${name}`);
  return markdownOf(page);
};

/** The cells of all tables, without the heads and without code marks. */
const rowsOf = (markdown: string): string[][] =>
  markdown
    .split("\n")
    .filter((line, at, lines) => line.startsWith("| ") && lines[at - 1]?.startsWith("|"))
    .filter((line) => !/^\|[ |-]+$/.test(line))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll("`", "")),
    );

/** The first columns of a page's tables. */
const columns = async (name: string, count: number): Promise<string[][]> =>
  rowsOf(await reference(name)).map((row) => row.slice(0, count));

describe("the page of settings", () => {
  const settings = Object.values(SETTINGS as Record<string, Setting>);

  test("has each setting with its flag and its default, in the order of the settings", async () => {
    expect(await columns("settings", 3)).toEqual(
      settings.map(({ env, flag, fallback }) => [env, `--${flag}`, fallback]),
    );
  });

  test("lists flags that serve takes, and variables that are read", async () => {
    const flags = [...program().options, ...serveCommand().options].map(({ long }) => long);
    for (const [env = "", flag] of await columns("settings", 2)) {
      expect(flags).toContain(flag);
      expect(() => readConfig({ flags: {}, env: { [env]: "\0" }, isTerminal: false })).toThrow(env);
    }
  });
});

describe("the page of errors", () => {
  test("has a section for each code, below its status, with its message", async () => {
    const sections = (await reference("errors")).split(/^## /m).slice(1);
    const found = sections.flatMap((section) =>
      [...section.matchAll(/^### `(\w+)`\n\n.+\n\n> (.+)$/gm)].map(([, code, message]) => [
        code,
        Number.parseInt(section, 10),
        message,
      ]),
    );
    const listed = Object.entries(FAULTS).map(([code, [status, message]]) => [code, status, message]);
    expect(found.toSorted()).toEqual(listed.toSorted());
  });

  test("lists what the OpenAPI documents list, and what lies outside their operations", async () => {
    const documents = (
      await Promise.all(
        ["store", "platform"].map((name) => Bun.file(`${import.meta.dir}/../openapi/${name}.json`).text()),
      )
    ).join("");
    expect(Object.keys(FAULTS).filter((code) => !documents.includes(`"${code}"`))).toEqual([
      // Of the console, of an unknown path or host, and of sites.
      "not_signed_in",
      "https_required",
      "cross_site_request",
      "method_not_allowed",
      "misdirected",
      "damaged_file",
    ]);
  });
});

test("the page of scopes has each scope, and the one that holds all", async () => {
  expect((await columns("scopes", 1)).flat()).toEqual([...Object.keys(SCOPES), "*"]);
});
