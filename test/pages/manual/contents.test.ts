import { expect, test, describe } from "bun:test";
import { join } from "node:path";
import manifest from "../../../package.json";
import { Glob } from "bun";
import { districtsPicture, storedPicture } from "./districts-picture.ts";
import { CONTENTS, PICTURES } from "../../../src/pages/manual/contents.ts";
import { GENERATED, INDEX_PAGE, PAGES, markdownOf, placeholdersIn } from "../../../src/pages/manual/pages.ts";

const DIRECTORY = join(import.meta.dir, "../../../src/pages/manual");
const filesOf = (pattern: string) => [...new Glob(pattern).scanSync(DIRECTORY)].toSorted();

test("the contents list every Markdown file below its section, and nothing else", () => {
  const listed = [INDEX_PAGE, ...PAGES].map(({ path }) => `${path}.md`);
  expect(listed.toSorted()).toEqual(filesOf("**/*.md"));
});

test("the contents list every picture", () => {
  expect(Object.keys(PICTURES).toSorted()).toEqual(filesOf("**/*.svg"));
});

test("the picture of the districts is that of the table of imports", async () => {
  expect(await storedPicture()).toBe(districtsPicture());
});

test("no page or section is listed twice", () => {
  const paths = PAGES.map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
  expect(new Set(CONTENTS.map(({ name }) => name)).size).toBe(CONTENTS.length);
});

describe.each([INDEX_PAGE, ...PAGES].map((page) => [page.path, page] as const))("%s", (path, page) => {
  test("the page is the file of its path, and begins with a title and a paragraph", async () => {
    expect(page.text).toBe(await Bun.file(join(DIRECTORY, `${path}.md`)).text());
    expect(page.text).toStartWith(`# ${page.title}\n\n`);
    expect(page.summary).not.toBe("");
  });

  test("each placeholder of the page has a generator", async () => {
    const markdown = await markdownOf(page);
    expect(placeholdersIn(markdown)).toEqual([]);
  });
});

test("every generator has a placeholder on a page", () => {
  const used = new Set(PAGES.flatMap(({ text }) => placeholdersIn(text)));
  expect(Object.keys(GENERATED).filter((name) => !used.has(name))).toEqual([]);
});

const page = await Bun.file(
  join(import.meta.dir, "../../../src/pages/manual/background/dependencies.md"),
).text();

/** Names and versions of the tables: a row may list several of each. */
const listed = page
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .flatMap((line) => {
    const [names = "", versions = ""] = line
      .split("|")
      .slice(1)
      .map((cell) => cell.trim().replaceAll("`", ""));
    return names.split(", ").map((name, at) => [name, versions.split(", ")[at] ?? ""]);
  });

const installed = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });

test("the page of dependencies names every dependency with its version, and nothing else", () => {
  expect(listed.toSorted()).toEqual(installed.toSorted());
});

test("every dependency is pinned to one version", () => {
  expect(installed.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});
