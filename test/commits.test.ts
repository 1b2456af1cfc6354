import { expect, test } from "bun:test";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");
/** The subjects of later commits are checked. */
const BASE = "22767428857a";
const TYPES = ["build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test"];
const SUBJECT = new RegExp(`^(${TYPES.join("|")})(\\([a-z][a-z0-9-]*\\))?: \\S`);
const MAX_LENGTH = 72;

const isWellFormed = (subject: string): boolean => subject.length <= MAX_LENGTH && SUBJECT.test(subject);

/** The subjects since `BASE`; undefined in a copy without its history. */
const subjectsSince = (base: string): string[] | undefined => {
  const log = Bun.spawnSync(["git", "log", "--no-merges", "--format=%s", `${base}..HEAD`], { cwd: ROOT });
  return log.success ? log.stdout.toString().trim().split("\n").filter(Boolean) : undefined;
};

test.each([
  ["fix(pets): a cursor names every filter", true],
  ["docs: shorter pages", true],
  ["fix(pets,orders): two scopes", false],
  ["fixed a bug", false],
  [`fix(pets): ${"long ".repeat(13)}`, false],
])("the subject %p is well formed: %p", (subject, expected) => {
  expect(isWellFormed(subject)).toBe(expected);
});

test("every commit has a subject of one type, at most one scope and at most 72 characters", () => {
  expect(subjectsSince(BASE)?.filter((subject) => !isWellFormed(subject)) ?? []).toEqual([]);
});
