/** Checks that the prose of the pages is plain English. Prints each problem, and ends with 1 if there is one. */
import { join } from "node:path";
import { Glob } from "bun";
import { PAGES as MANUAL, markdownOf } from "../../src/manual/pages.ts";
import { lintProse } from "./lint.ts";

const ROOT = join(import.meta.dir, "../..");

/** The pages that people read. */
const PAGES = ["README.md", ".github/*.md", "src/manual/**/*.md"];

const pages = PAGES.flatMap((pattern) =>
  [...new Glob(pattern).scanSync({ cwd: ROOT, dot: true })].toSorted(),
);

/** With the generated parts of pages of the manual: lines are those behind them. */
const textOf = (file: string): Promise<string> => {
  const page = MANUAL.find(({ path }) => file === `src/manual/${path}.md`);
  return page ? markdownOf(page) : Bun.file(join(ROOT, file)).text();
};

let problems = 0;
for (const page of pages) {
  const complaints = await lintProse(await textOf(page));
  for (const { line, column, rule, message } of complaints)
    console.error(`${page}:${line}:${column}: ${message} (${rule})`);
  problems += complaints.length;
}
console.log(`${pages.length} pages, ${problems} problems of prose`);
process.exitCode = problems === 0 ? 0 : 1;
