import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import { type Block, blocksOf, problemOf } from "./blocks.ts";

const ROOT = join(import.meta.dir, "../../..");

const pagesIn = async (pattern: string) =>
  Promise.all(
    [...new Glob(pattern).scanSync({ cwd: ROOT, dot: true })]
      .toSorted()
      .map(async (page) => ({ page, blocks: blocksOf(await Bun.file(join(ROOT, page)).text()) })),
  );

const all = [
  ...(await pagesIn("README.md")),
  ...(await pagesIn("src/client/README.md")),
  ...(await pagesIn("src/pages/manual/**/*.md")),
];
const isForContributors = ({ page }: { page: string }): boolean => page.includes("/contributing/");
const followed = all.filter((one) => !isForContributors(one));
const forContributors = [...all.filter(isForContributors), ...(await pagesIn(".github/*.md"))];

const problemsOf = (blocks: readonly Block[]): string[] =>
  blocks.flatMap((block, at) => {
    const problem = problemOf(block, blocks[at - 1]);
    return problem === undefined ? [] : [`line ${block.line}: ${problem}`];
  });

describe.each(followed.map(({ page, blocks }) => [page, blocks] as const))("%s", (_page, blocks) => {
  test("the page has only blocks that can be followed", () => {
    expect(problemsOf(blocks)).toEqual([]);
  });
});

test("no other block is skipped", () => {
  const skipped = followed.flatMap(({ page, blocks }) =>
    blocks.flatMap(({ attributes: { skip } }) => (skip === undefined ? [] : [`${page}: ${skip}`])),
  );
  expect(skipped).toEqual(["README.md: the check of a fresh clone runs these two commands"]);
});

// They run in a clone that the reader changes on the way: excerpts of its code, and commands that take minutes.
test("pages for contributors have excerpts and commands in the languages of the repository", () => {
  const languages = forContributors.flatMap(({ blocks }) => blocks.map(({ language }) => language));
  expect(languages.filter((language) => !["sh", "sql", "text", "ts"].includes(language))).toEqual([]);
});
