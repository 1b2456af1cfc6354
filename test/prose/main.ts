/** Checks that the prose of the pages is plain English. Prints each problem, and ends with 1 if there is one. */
import { join } from "node:path";
import { Glob } from "bun";
import { PAGES as MANUAL, markdownOf } from "../../src/pages/manual/pages.ts";
import { lintProse } from "./lint.ts";

const ROOT = join(import.meta.dir, "../..");

/** The pages that people read. */
const PAGES = [
  "README.md",
  ".github/*.md",
  "src/**/README.md",
  "src/protocols/*/README.md",
  "src/pages/manual/**/*.md",
];

const pages = PAGES.flatMap((pattern) =>
  [...new Glob(pattern).scanSync({ cwd: ROOT, dot: true })].toSorted(),
);

/** Phrases in generated parts that are not checked for the patterns of a translation. */
const PHRASES: readonly string[] = [
  // src/platform/deploys/rules/header-names.ts: a group of headers.
  "what the page may do",
  // src/platform/dns-checks/providers.ts: a place in the control panel of IONOS.
  "the gear beside the domain",
  // src/platform/dns-checks/names.ts: the reason `special_use`.
  "which nobody can hold as a domain",
  // src/platform/dns-checks/finding-kind.ts: a place in a network.
  "hides the record behind its own addresses",
];

/** With the generated parts of pages of the manual: line numbers include them. */
const textOf = (file: string): Promise<string> => {
  const page = MANUAL.find(({ path }) => file === `src/pages/manual/${path}.md`);
  return page ? markdownOf(page) : Bun.file(join(ROOT, file)).text();
};

let problems = 0;
for (const page of pages) {
  const text = PHRASES.reduce((text, phrase) => text.replaceAll(phrase, "-"), await textOf(page));
  const complaints = await lintProse(text);
  for (const { line, column, rule, message } of complaints)
    console.error(`${page}:${line}:${column}: ${message} (${rule})`);
  problems += complaints.length;
}
console.log(`${pages.length} pages, ${problems} problems of prose`);
process.exitCode = problems === 0 ? 0 : 1;
