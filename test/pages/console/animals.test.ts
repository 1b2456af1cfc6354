import { describe, expect, test } from "bun:test";
import { isOnPage } from "../../../src/pages/console/ui/parts/address.ts";
import {
  type Day,
  type Statistics,
  animalPath,
  animalsPath,
  barsOf,
  changeOf,
  conflictingFields,
  countOf,
  draftOf,
  isNarrow,
  letsThrough,
  mayMatch,
  newAnimalOf,
  rebaseDraft,
  summaryOf,
  viewOf,
} from "../../../src/pages/console/ui/animals/animal.ts";
import { pluralize } from "../../../src/pages/console/ui/parts/wording.ts";

const daysOf = (...counts: number[]): Day[] =>
  counts.map((count, at) => ({ date: `2026-11-0${at + 1}`, count }));

describe("the chart", () => {
  test.each([
    [[0, 0], "No animals were added."],
    [[0, 1, 0], "1 animal was added on 2 November."],
    [[0, 3], "3 animals were added on 2 November."],
    [[2, 1100, 3], "1,105 animals were added, the most on 2 November: 1,100."],
    [[2, 2], "4 animals were added, the most on 1 November: 2."],
  ])("of %j says: %s", (counts, words) => {
    expect(summaryOf(daysOf(...counts))).toBe(words);
  });

  test("has a bar for each day with animals, the highest over the whole height", () => {
    const bars = barsOf(daysOf(0, 2, 4));
    expect(bars.map(({ day, height }) => [day.count, height])).toEqual([
      [2, 0.5],
      [4, 1],
    ]);
    for (const { y, height } of bars) expect(y + height).toBe(1);
  });

  test("keeps its bars apart, within its width", () => {
    const [first, second] = barsOf(daysOf(1, 1));
    expect(first!.x + first!.width).toBeLessThan(second!.x);
    expect(second!.x + second!.width).toBeLessThan(2);
  });

  test("shows one animal beside a million", () => {
    expect(barsOf(daysOf(1, 1_000_000))[0]!.height).toBe(0.04);
  });

  test("of no days at all has no bars", () => {
    expect(barsOf([])).toEqual([]);
  });
});

const statistics: Statistics = {
  total: 10,
  byStatus: { available: 4, pending: 3, sold: 2, none: 1 },
  addedByDay: [],
};

test.each([
  [undefined, 10],
  ["available", 4],
  ["sold", 2],
] as const)("the filter %p lets through %d", (status, count) => {
  expect(countOf(statistics, status)).toBe(count);
});

test("one is an animal, others are animals", () => {
  expect([0, 1, 1234].map((count) => pluralize(count, "animal"))).toEqual([
    "0 animals",
    "1 animal",
    "1,234 animals",
  ]);
});

describe("the change of an animal", () => {
  const bella = { id: 7, name: "Bella", categoryId: 3, status: "available" } as const;

  test.each([
    [{ name: "Bella", categoryId: 3, status: "available" as const }, {}],
    [{ name: "Luna", categoryId: 3, status: "available" as const }, { name: "Luna" }],
    [
      { name: "Bella", categoryId: 4, status: "sold" as const },
      { categoryId: 4, status: "sold" as const },
    ],
    [{ name: "Bella", categoryId: 3 }, { status: null }],
  ])("to %j names only what changes", (after, change) => {
    expect(changeOf(bella, after)).toEqual(change);
  });

  test("holds a category beyond a double's precision to be the same however it was read", () => {
    const most = 9223372036854775807n as unknown as number;
    expect(changeOf({ ...bella, categoryId: most }, { ...bella, categoryId: most })).toEqual({});
  });
});

describe("the address of animals", () => {
  test.each([
    [{}, "/console/animals"],
    [{ status: "sold" }, "/console/animals?status=sold"],
    [{ q: "bel", category: "3" }, "/console/animals?q=bel&category=3"],
    [{ q: "über & co" }, "/console/animals?q=%C3%BCber+%26+co"],
    [{ category: "-9223372036854775808" }, "/console/animals?category=-9223372036854775808"],
    [{ category: "9223372036854775807" }, "/console/animals?category=9223372036854775807"],
    [{ sort: "name" }, "/console/animals?sort=name"],
    [{ q: "bel", sort: "id" }, "/console/animals?q=bel&sort=id"],
  ])("with %j is %s", (query, path) => {
    expect(animalsPath(viewOf(query))).toBe(path);
    expect(viewOf(Object.fromEntries(new URL(path, "http://store").searchParams))).toEqual(viewOf(query));
  });

  test.each([
    { status: "lost" },
    { q: "  " },
    { category: "" },
    { category: "dogs" },
    { sort: "-id" },
    { sort: "age" },
  ])("with %j shows all", (query) => {
    expect(animalsPath(viewOf(query))).toBe("/console/animals");
  });

  test("writes a category as the API does", () => {
    expect(viewOf({ category: "-007" }).category).toBe("-7");
  });

  test("names the action, and keeps the filter", () => {
    expect(animalsPath({ q: "bel", status: "available" }, 7, "adopt")).toBe(
      "/console/animals/7/adopt?status=available&q=bel",
    );
  });

  test("is their own page, and of a dialog above it, with the list to go back to", () => {
    expect(animalPath(7)).toBe("/console/animals/7");
    expect(animalPath(7, { q: "bel" })).toBe("/console/animals/7?q=bel");
    expect(animalPath(7, { q: "bel" }, "change")).toBe("/console/animals/7/change?q=bel&on=page");
    expect([isOnPage({ on: "page" }), isOnPage({ q: "bel" })]).toEqual([true, false]);
  });

  test("tells whether the filter has more than a status", () => {
    expect(
      [{ status: "sold" }, { q: "bel" }, { category: "3" }, { sort: "name" }].map(viewOf).map(isNarrow),
    ).toEqual([false, true, true, false]);
  });
});

test.each([
  [{}, true],
  [{ status: "sold" }, true],
  [{ status: "pending" }, false],
  [{ category: "9223372036854775807" }, true],
  [{ category: "9223372036854775808" }, false],
  // Only the API knows the words of a name.
  [{ q: "bella" }, false],
] as const)("the filter %j surely lets an animal through: %p", (query, isSure) => {
  const most = 9223372036854775807n as unknown as number;
  const bella = { id: 7, name: "Bella", categoryId: most, status: "sold" } as const;
  expect(letsThrough(viewOf(query), bella)).toBe(isSure);
});

describe("what was typed of an animal", () => {
  const before = draftOf({ name: "Bella", categoryId: 3, status: "available" });

  test("holds a category that no double does, exactly", () => {
    const most = 9223372036854775807n as unknown as number;
    expect(draftOf({ name: "Bella", categoryId: most }).category).toBe("9223372036854775807");
    expect(newAnimalOf({ ...before, category: " 9223372036854775807 " }).categoryId).toBe(most);
  });

  test("and is not a number is left to the API to refuse", () => {
    expect(newAnimalOf({ ...before, category: "dogs" }).categoryId as unknown).toBe("dogs");
  });

  test("without a status has none", () => {
    expect(newAnimalOf({ ...before, status: "" })).not.toHaveProperty("status");
    expect(draftOf({ name: "Bella", categoryId: 3 }).status).toBe("");
  });

  test("stays when the animal is reloaded, and the other fields show its current values", () => {
    const typed = { ...before, name: "Bella II" };
    const now = { ...before, name: "Bellissima", status: "sold" };
    expect(rebaseDraft(typed, before, now)).toEqual({ name: "Bella II", category: "3", status: "sold" });
  });

  test.each([
    [{ name: "Bella II" }, { status: "sold" }, {}],
    [{ name: "Bella II" }, { name: "Bellissima" }, { name: "Bellissima" }],
    [{ name: "Bella II" }, { name: "Bella II" }, {}],
    [{ status: "" }, { status: "sold", category: "4" }, { status: "sold" }],
    [{}, { name: "Bellissima" }, {}],
  ])("as %j is disputed by what somebody else made of it, %j: %j", (mine, theirs, told) => {
    expect(conflictingFields({ ...before, ...mine }, before, { ...before, ...theirs })).toEqual(told);
  });
});

test("an animal may match a search if its status and category do", () => {
  const bella = { id: 7, name: "Bella", categoryId: 3, status: "sold" } as const;
  const views = [{ q: "x" }, { q: "x", status: "pending" }].map(viewOf);
  expect(views.map((view) => mayMatch(view, bella))).toEqual([true, false]);
});
