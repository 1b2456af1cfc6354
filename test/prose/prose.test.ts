import { describe, expect, test } from "bun:test";
import { lintProse } from "./lint.ts";
import { RULES } from "./rules.ts";

/** A sentence. */
const words = (count: number): string =>
  `Say ${"yes no "
    .repeat(count)
    .split(" ", count - 2)
    .join(" ")} more.`;
/** The rules that complain, with their line and column. */
const complaintsOf = async (text: string): Promise<string[]> =>
  (await lintProse(text)).map(({ line, column, rule }) => `${line}:${column} ${rule}`);

/** A rule, a text that it refuses, and the nearest text that it allows. */
const CASES: readonly [rule: string, refused: string, allowed: string][] = [
  ["sentence-length", words(31), words(30)],
  ["terminology", "Read the answer.", "This page answers one question."],
  ["terminology", "An authority signs it.", "The authoritative server has it."],
  ["translation", "It prints what it finds.", "It prints what you need."],
  ["translation", "The log says why.", "The log shows the reason."],
  ["translation", "Somebody has the lock.", "Another process has the lock."],
  ["translation", "Read the records behind it.", "Run it behind a\nreverse proxy, or behind nginx."],
  ["translation", "It runs beside the server.", "It runs next to the server."],
  ["translation", "It stops at once.", "It stops once."],
  ["translation", "Give it a user of its own.", "Give it its own user."],
  ["translation", "The size is known.", "It is a known size."],
  ["translation", "The others go on.", "Continue on the next page."],
  ["translation", "The engine is away.", "The engine is a way to store a log."],
  ["translation", "Use Bun in place of Node.", "Put it in a place of your choice."],
  ["translation", "However many rows it has, it works.", "However, many rows are wrong."],
  ["translation", "Use the one of before.", "Use the one of the day before."],
  ["translation", "Mend the record.", "We recommend the record."],
  ["weasels", "You simply start it.", "You start it in simple steps."],
  ["is-no", "The path is no directory.", "There is no directory. It is no longer used."],
  ["doubled-words", "Start the the server.", "Start the server. The end."],
  ["product-names", "Put it behind Nginx.", "Put it behind nginx, see <https://Nginx.example.org>."],
  ["product-names", "Store it in SQlite.", "Store it in SQLite, as sqlite.db."],
];

test("README is one page of at most 10 KB", async () => {
  expect((await Bun.file(`${import.meta.dir}/../../README.md`).bytes()).length).toBeLessThan(10_000);
});

describe("the check of prose", () => {
  test.each(CASES)("by the rule %s refuses %j and allows %j", async (rule, refused, allowed) => {
    expect((await lintProse(refused)).map(({ rule }) => rule)).toEqual([rule]);
    expect(await lintProse(allowed)).toEqual([]);
  });

  test("has a case for each rule", () => {
    expect(Object.keys(RULES).filter((rule) => !CASES.some(([tested]) => tested === rule))).toEqual([]);
  });

  test("ends a sentence after a number too", async () => {
    expect(await lintProse(`${words(20).slice(0, -1)} 500. ${words(20)}`)).toEqual([]);
  });

  test("reads headings, list items and cells, and names their place", async () => {
    const text = "# A very bad title\n\n- really\n  bad\n\n| a | b |\n| - | - |\n| quite | bad |\n";
    expect(await complaintsOf(text)).toEqual(["1:5 weasels", "3:3 weasels", "8:3 weasels"]);
  });

  test("reads neither code, nor quotations, nor images", async () => {
    const text =
      "Run `simply the the answer`.\n\n```sh\nvery\n```\n\n> It is no directory.\n\n![very](a.png)\n";
    expect(await complaintsOf(text)).toEqual([]);
  });

  test("counts a piece of code as one word, and names the place of a word after it", async () => {
    expect(await complaintsOf(`Run \`${"a ".repeat(40)}\` very\nreally often.`)).toEqual([
      "1:88 weasels",
      "2:1 weasels",
    ]);
  });

  test("refuses a page whose sentences are too long on average", async () => {
    const long = words(22);
    expect(await complaintsOf(`${long}\n\n`.repeat(10))).toEqual(["1:1 page"]);
    expect(await complaintsOf(`${long}\n\n`.repeat(9))).toEqual([]);
  });

  test("refuses a page of which more than a quarter is passive", async () => {
    const active = "The server sends the file.\n\n";
    const passive = "The file is sent by it.\n\n";
    expect(await complaintsOf(active.repeat(7) + passive.repeat(3))).toEqual(["1:1 page"]);
    expect(await complaintsOf(active.repeat(9) + passive.repeat(3))).toEqual([]);
  });
});
