import { expect, test } from "bun:test";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { Glob } from "bun";
import { temporaryDirectory } from "../support/store.ts";
import { type Block, blocksOf } from "../pages/manual/blocks.ts";

// A contributor page can be followed in a clone, block by block: `file=src/a.ts after="const a ="` or `before="..."` is where
// a block of code goes, and `instead="..."` is the line that it replaces. A block that only names its file is the whole file.
// NNNN stands for the number of the newest migration.

const ROOT = join(import.meta.dir, "../..");
const PAGES = "src/pages/manual/contributing/*.md";
const TREE = ["src", "test", "drizzle", "package.json", "tsconfig.json", "bunfig.toml"];

/** A type check of everything, with other tests at the same time. */
const MAX_MS = 240_000;

/** Layout and lint take too long for a test. */
const SHORTER: Readonly<Record<string, string>> = {
  "bun run check": "bun run client:types && bun check --no-script",
};

/** @throws unless exactly one line has the anchor */
const insert = (text: string, { lines, attributes: { before, after, instead } }: Block): string => {
  const all = text.split("\n");
  const anchor = before ?? after ?? instead ?? "";
  const places = [...all.keys()].filter((at) => all[at]?.includes(anchor));
  const [place = 0] = places;
  if (places.length !== 1) throw new Error(`${places.length} lines have "${anchor}"`);
  const [indent = ""] = /^ */.exec(all[place] ?? "") ?? [];
  const indented = lines.map((line) => (line === "" ? "" : indent + line));
  const replaced = instead === undefined ? 0 : 1;
  return all.toSpliced(after === undefined ? place : place + 1, replaced, ...indented).join("\n");
};

const newestMigration = (clone: string): string =>
  [...new Glob("[0-9]*.sql").scanSync(join(clone, "drizzle"))].toSorted().at(-1)?.slice(0, 4) ?? "";

const apply = (clone: string, { lines, attributes, ...block }: Block): void => {
  const { file = "", before, after, instead } = attributes;
  const numbered = (text: string) => text.replaceAll("NNNN", newestMigration(clone));
  const path = join(clone, numbered(file));
  const written = { ...block, attributes, lines: lines.map(numbered) };
  const isWhole = (before ?? after ?? instead) === undefined;
  const text = isWhole ? `${written.lines.join("\n")}\n` : insert(readFileSync(path, "utf8"), written);
  writeFileSync(path, text);
};

const run = async (clone: string, command: string): Promise<string> => {
  const PATH = [dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const child = Bun.spawn(["sh", "-c", `{ ${SHORTER[command] ?? command}\n} 2>&1`], {
    cwd: clone,
    env: { ...process.env, PATH },
    stdout: "pipe",
  });
  const [output, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  return code === 0 ? "" : `${command}: exit code ${code}\n${output.slice(-4000)}`;
};

const pages = [...new Glob(PAGES).scanSync(ROOT)]
  .map((page) => [basename(page), blocksOf(readFileSync(join(ROOT, page), "utf8"))] as const)
  .filter(([, blocks]) => blocks.some(({ attributes: { file } }) => file !== undefined));

test.each(pages)(
  "the excerpts of %s work where the page puts them",
  async (_, blocks) => {
    const clone = temporaryDirectory();
    for (const name of TREE) cpSync(join(ROOT, name), join(clone, name), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(clone, "node_modules"));
    for (const block of blocks) {
      if (block.attributes["file"] !== undefined) apply(clone, block);
      else if (block.language === "sh")
        for (const command of block.lines) expect(await run(clone, command)).toBe("");
    }
  },
  MAX_MS,
);

test("a page is refused if the place of an excerpt is not one line", () => {
  const block: Block = { line: 1, language: "ts", attributes: { after: "const a" }, lines: ["b();", ""] };
  expect(insert("{\n  const a = 1;\n}", block)).toBe("{\n  const a = 1;\n  b();\n\n}");
  const replacement = { ...block, attributes: { instead: "const a" }, lines: ["b();"] };
  expect(insert("{\n  const a = 1;\n}", replacement)).toBe("{\n  b();\n}");
  expect(() => insert("{}", block)).toThrow('0 lines have "const a"');
  expect(() => insert("const a = 1;\nconst ab = 2;", block)).toThrow('2 lines have "const a"');
});
