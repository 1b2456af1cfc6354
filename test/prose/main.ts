/** Checks that the prose of the pages is plain English. Prints each problem, and ends with 1 if there is one. */
import { join } from "node:path";
import { Glob } from "bun";
import { lintProse } from "./lint.ts";

const ROOT = join(import.meta.dir, "../..");

/** The pages that people read. */
const PAGES = [".github/*.md", "src/manual/**/*.md"];

const pages = PAGES.flatMap((pattern) =>
  [...new Glob(pattern).scanSync({ cwd: ROOT, dot: true })].toSorted(),
);

let problems = 0;
for (const page of pages) {
  const complaints = await lintProse(await Bun.file(join(ROOT, page)).text());
  for (const { line, column, rule, message } of complaints)
    console.error(`${page}:${line}:${column}: ${message} (${rule})`);
  problems += complaints.length;
}
console.log(`${pages.length} pages, ${problems} problems of prose`);
process.exitCode = problems === 0 ? 0 : 1;
