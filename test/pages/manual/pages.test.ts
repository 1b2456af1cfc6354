import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join, normalize } from "node:path";
import { Glob } from "bun";
import { scripts } from "../../../package.json";
import { PAGES as MANUAL, markdownOf } from "../../../src/pages/manual/pages.ts";

const ROOT = join(import.meta.dir, "../../..");

const PAGES = ["README.md", ".github/*.md", "src/**/*.md"].flatMap((pattern) =>
  [...new Glob(pattern).scanSync({ cwd: ROOT, dot: true })].toSorted(),
);

/** `src/store/pets/model.ts`, `test/real`, `drizzle/0004_shop.sql`; not `src/...`. */
const PATH = /(?<![\w./-])(?:src|test|drizzle)\/[\w./-]*\w/g;
const SCRIPT = /\bbun run ([\w:-]+)/g;
const LINK = /\]\(([^)\s]+)\)/g;
const HEADING = /^#+ (.+)$/gm;
/** With the generated parts of pages of the manual. */
const textOf = (file: string): Promise<string> => {
  const page = MANUAL.find(({ path }) => file === `src/pages/manual/${path}.md`);
  return page ? markdownOf(page) : Bun.file(join(ROOT, file)).text();
};
const matchesIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([whole, group]) => group ?? whole);

/** The fragment that GitHub gives to a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .trim()
    .replaceAll(/\s/g, "-");

const leadsNowhere = async (page: string, link: string): Promise<boolean> => {
  const [path = "", fragment] = link.split("#");
  const target = path === "" ? page : normalize(join(page, "..", path));
  if (!existsSync(join(ROOT, target))) return true;
  if (fragment === undefined) return false;
  return !matchesIn(await textOf(target), HEADING)
    .map(anchorOf)
    .includes(fragment);
};

test("the contributor pages are all linked from the architecture page", async () => {
  const architecture = await textOf("src/pages/manual/contributing/architecture.md");
  const pages = [...new Glob("*.md").scanSync(join(ROOT, "src/pages/manual/contributing"))];
  expect(pages.filter((page) => page !== "architecture.md" && !architecture.includes(`(${page})`))).toEqual(
    [],
  );
});

describe.each(PAGES)("%s", (page) => {
  test("the page names files that exist", async () => {
    const paths = matchesIn(await textOf(page), PATH);
    const missing = paths.filter((path) => !existsSync(join(ROOT, path)));
    // NNNN stands for the number of a migration that the reader makes.
    expect(missing.filter((path) => !path.includes("/NNNN_"))).toEqual([]);
  });

  test("the page names scripts that package.json has", async () => {
    expect(matchesIn(await textOf(page), SCRIPT).filter((name) => !(name in scripts))).toEqual([]);
  });

  test("the page links to pages and headings that exist", async () => {
    const links = matchesIn(await textOf(page), LINK).filter((link) => !/^[a-z]+:/.test(link));
    const broken = [];
    for (const link of links) if (await leadsNowhere(page, link)) broken.push(link);
    expect(broken).toEqual([]);
  });
});
