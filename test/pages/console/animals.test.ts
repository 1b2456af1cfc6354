import { describe, expect, test } from "bun:test";
import { QueryClient } from "@tanstack/query-core";
import {
  type Animal,
  type Day,
  type Statistics,
  animalPath,
  animalsPath,
  barsOf,
  changeOf,
  countOf,
  draftOf,
  editedWords,
  exactOption,
  isNarrow,
  letsThrough,
  mayMatch,
  newAnimalOf,
  optionsFor,
  chartWords,
  viewOf,
} from "../../../src/pages/console/ui/animals/animal.ts";
import {
  csvOf,
  failureWords,
  mayEnter,
  outcomeOf,
  reasonOf,
} from "../../../src/pages/console/ui/animals/changes.ts";
import { conflicting, differing } from "../../../src/pages/console/ui/parts/draft.ts";
import {
  type Pages,
  isEqual,
  itemsOf,
  recordsOf,
  withFirst,
} from "../../../src/pages/console/ui/parts/records.ts";
import { ApiError } from "../../../src/client/api-error.ts";
import { csvLine, guardFormula } from "../../../src/lib/csv-writer.ts";

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
    expect(chartWords(daysOf(...counts))).toBe(words);
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

  test("shows one animal next to a million", () => {
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

  test("treats a category beyond the precision of a double as unchanged", () => {
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
    [{ status: "sold", as: "pictures" }, "/console/animals?status=sold&as=pictures"],
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
    { as: "chart" },
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

describe("the draft of an animal", () => {
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
    const typed = differing({ ...before, name: "Bella II" }, before);
    const now = { ...before, name: "Bellissima", status: "sold" };
    expect({ ...now, ...typed }).toEqual({ name: "Bella II", category: "3", status: "sold" });
  });

  test.each([
    [{ name: "Bella II" }, { status: "sold" }, {}],
    [{ name: "Bella II" }, { name: "Bellissima" }, { name: "Bellissima" }],
    [{ name: "Bella II" }, { name: "Bella II" }, {}],
    [{ status: "" }, { status: "sold", category: "4" }, { status: "sold" }],
    [{}, { name: "Bellissima" }, {}],
  ])("with the edit %j conflicts with the edit %j of another user in %j", (mine, theirs, told) => {
    const typed = differing({ ...before, ...mine }, before);
    expect(conflicting(typed, before, { ...before, ...theirs })).toEqual(told);
  });
});

test("an animal may match a search if its status and category do", () => {
  const bella = { id: 7, name: "Bella", categoryId: 3, status: "sold" } as const;
  const views = [{ q: "x" }, { q: "x", status: "pending" }].map(viewOf);
  expect(views.map((view) => mayMatch(view, bella))).toEqual([true, false]);
});

const bella = { id: 7, name: "Bella", categoryId: 3, status: "available" } as const;

describe("a change of many animals", () => {
  test.each([
    ["pet_in_order", "it has an open adoption"],
    ["precondition_failed", "another user changed it"],
    ["not_found", "it was deleted"],
    ["category_not_found", "This category no longer exists. Choose another."],
    ["new_code", "The disk is full."],
  ])("says why one was not changed: %s", (code, reason) => {
    expect(reasonOf(new ApiError(409, code, "The disk is full."))).toBe(reason);
  });

  test("says how many were not changed", () => {
    expect(failureWords(2, 40)).toBe("2 of 40 animals were not changed:");
    expect(failureWords(1, 1)).toBe("1 of 1 animal was not changed:");
  });

  test("has an outcome for each, in their order, with the data to undo it", () => {
    const max = { id: 8, name: "Max", categoryId: 3 };
    const changes = [bella, max].map((animal) => ({
      from: { animal, tag: '"old"' },
      change: { status: "sold" as const },
    }));
    const now = { ...bella, status: "sold" as const };
    const { changed, failed } = outcomeOf(changes, [
      { id: 7, pet: now, etag: '"new"' },
      { id: 8, error: { code: "pet_in_order", message: "held", status: 409 } },
    ]);
    expect(changed).toEqual([{ before: bella, now: { animal: now, tag: '"new"' } }]);
    expect(failed.map(({ animal, error }) => [animal, reasonOf(error)])).toEqual([
      [max, "it has an open adoption"],
    ]);
  });

  test("that got no response has changed none", () => {
    const error = new ApiError(0, "unreachable", "The server did not respond.");
    const changes = [{ from: { animal: bella, tag: "" }, change: {} }];
    const outcome = outcomeOf(changes, [{ id: 7, error }]);
    expect(outcome).toEqual({ changed: [], failed: [{ animal: bella, error }] });
  });
});

describe("what an edit did", () => {
  test.each([
    [{ ...bella, name: "Luna" }, "“Bella” renamed to “Luna”"],
    [{ ...bella, status: "sold" }, "“Bella” is now adopted"],
    [{ id: 7, name: "Bella", categoryId: 3 }, "“Bella” no longer has a status"],
    [{ ...bella, categoryId: 4 }, "“Bella” moved to “Cats”"],
    [{ ...bella, name: "Luna", status: "sold" }, "“Luna” changed"],
    [bella, "Nothing changed"],
  ] as const)("%j: %s", (now, said) => {
    expect(editedWords(bella, now, "Cats")).toBe(said);
  });

  test("names the profile if nothing else has changed", () => {
    expect(editedWords(bella, bella, "Cats", true)).toBe("The profile of “Bella” changed");
    expect(editedWords(bella, { ...bella, name: "Luna" }, "Cats", true)).toBe("“Luna” changed");
  });
});

describe("the file of selected animals", () => {
  const categories = [{ id: 3, name: "=Dogs, small" }];

  test("has the columns of `export`, the names of categories, and ids with all their digits", () => {
    const most = 9223372036854775807n;
    expect(csvOf([bella, { id: 8, name: "Max", categoryId: most }], categories)).toBe(
      `\ufeffid,name,categoryId,category,status\n7,Bella,3,"'=Dogs, small",available\n8,Max,9223372036854775807,,\n`,
    );
  });

  test.each(["=1+1", "'=1", "＝1", " =1", "a;=1", "@x", "a;b", 'say "hi"', " x", "-5", "plain"])(
    "writes the name %j as `export` does",
    (name) => {
      const [, row] = csvOf([{ id: 1, name, categoryId: 9 }], []).split("\n");
      expect(`${row}\n`).toBe(csvLine(["1", guardFormula(name), "9", "", ""]));
    },
  );
});

const animal = (id: number, more: Partial<Animal> = {}): Animal => ({
  id,
  name: `Animal ${id}`,
  categoryId: 1,
  ...more,
});

/** A list with these ids on its pages. */
const listOf = (pages: readonly (readonly number[])[], hasMore = false): Pages<Animal> => ({
  pages: pages.map((ids, at) => ({
    items: ids.map((id) => animal(id)),
    next: at < pages.length - 1 || hasMore ? "cursor" : undefined,
  })),
  pageParams: pages.map(() => ""),
});

const idsOf = (list: Pages<Animal> | undefined) => itemsOf(list).map(({ id }) => id);

describe("changes that others make", () => {
  const list = listOf([
    [9, 8],
    [7, 6],
  ]);
  const { known, show } = recordsOf<Animal>(["lists"], ["one"]);
  const most = 9223372036854775807n as unknown as number;
  const openLists = () => {
    const queries = new QueryClient();
    queries.setQueryData(["lists", "all"], list);
    queries.setQueryData(["lists", "old"], listOf([[9, 1]]));
    queries.setQueryData(["one", 8], animal(8));
    void queries.invalidateQueries({ queryKey: ["lists", "old"] });
    return { queries, shown: (name: string) => queries.getQueryData<Pages<Animal>>(["lists", name]) };
  };

  test("show in their rows, and leave the pages and lists alone that they are not on", () => {
    const { queries, shown } = openLists();
    const { dataUpdateCount } = queries.getQueryState(["lists", "old"])!;
    show(queries, new Map([[7, animal(7, { status: "sold" })]]));
    expect(itemsOf(shown("all")).map(({ status }) => status)).toEqual([
      undefined,
      undefined,
      "sold",
      undefined,
    ]);
    expect(shown("all")?.pages[0]).toBe(list.pages[0]);
    expect(queries.getQueryState(["lists", "old"])?.dataUpdateCount).toBe(dataUpdateCount);
    expect(known(queries, 7)?.status).toBe("sold");
  });

  test("are nothing new if the list shows them already, also of a category beyond a double", () => {
    expect(isEqual(animal(7, { categoryId: most }), animal(7, { categoryId: most }))).toBe(true);
    expect(isEqual(animal(7, { categoryId: most }), animal(7))).toBe(false);
    expect(isEqual(animal(7), null)).toBe(false);
  });

  test("that the list shows already do not render it again", () => {
    const { queries } = openLists();
    const updates = () => queries.getQueryState(["lists", "all"])?.dataUpdateCount;
    const before = updates();
    show(queries, new Map([[7, animal(7)]]));
    expect(updates()).toBe(before);
  });

  test("remove a deleted animal, and mark the record that is shown alone as deleted", () => {
    const { queries, shown } = openLists();
    show(queries, new Map([8, 9].map((id) => [id, undefined])));
    expect(idsOf(shown("all"))).toEqual([7, 6]);
    expect([known(queries, 8), known(queries, 9)]).toEqual([null, undefined]);
  });

  test("leave a list stale that is to be read again", () => {
    const { queries, shown } = openLists();
    show(queries, new Map([[9, undefined]]));
    expect(idsOf(shown("old"))).toEqual([1]);
    expect(queries.getQueryState(["lists", "old"])?.isInvalidated).toBe(true);
    expect(queries.getQueryState(["lists", "all"])?.isInvalidated).toBe(false);
  });
});

describe("an animal that a list has not loaded", () => {
  test.each([
    ["newer than all", 10, {}, false, true],
    ["between two that are loaded", 7, {}, true, true],
    ["on a page that is not loaded", 1, {}, true, false],
    ["older than the last of all", 1, {}, false, true],
    ["already listed", 8, {}, true, false],
    ["of another status", 10, { status: "sold" }, false, false],
    ["of another category", 10, { category: "2" }, false, false],
    ["that the search may find", 10, { q: "x" }, false, true],
    ["beyond the end of a list from the first id", 10, { sort: "id" }, true, false],
    ["among names, whose order only the API knows", 10, { sort: "name" }, true, false],
    ["at the end of all names", 10, { sort: "name" }, false, true],
  ] as const)("%s (%d) may enter it: %j, more pages: %p", (_, id, view, hasMore, isEntering) => {
    const ids = "sort" in view ? [6, 8] : [8, 6];
    expect(mayEnter(listOf([ids], hasMore), view, animal(id))).toBe(isEntering);
  });

  test("enters an empty list", () => {
    expect(mayEnter(listOf([[]]), {}, animal(1))).toBe(true);
  });
});

describe("animals that are put first", () => {
  test("come the newest before the others, and none twice", () => {
    expect(idsOf(withFirst(listOf([[3, 2], [1]]), [animal(4), animal(5), animal(2)]))).toEqual([
      5, 4, 3, 2, 1,
    ]);
  });

  test("are not repeated by the page that they belong to, and show its state", () => {
    const list = withFirst(listOf([[1, 2]]), [animal(4)]);
    list.pages.push({ items: [animal(3), animal(4, { name: "Renamed" })], next: undefined });
    expect(idsOf(list)).toEqual([4, 1, 2, 3]);
    expect(itemsOf(list)[0]?.name).toBe("Renamed");
  });

  test("leave a list alone that has them", () => {
    const list = listOf([[1]]);
    expect(withFirst(list, [animal(1)])).toEqual(list);
  });
});

const DOGS = { id: 3, name: "Dogs" };
const HOT = { id: 4, name: "Hot  dogs" };
const CATS = { id: 5, name: "Cats" };
const categories = [CATS, DOGS, HOT];
const labels = (text: string) =>
  optionsFor(categories, text).map((option) =>
    option.kind === "number" ? `no. ${option.id}` : `${option.kind} ${option.name}`,
  );

describe("the category field suggests", () => {
  test.each([
    ["every category before anything is typed", "", ["category Cats", "category Dogs", "category Hot  dogs"]],
    [
      "names that contain the text, and a new category",
      " DOG ",
      ["category Dogs", "category Hot  dogs", "create DOG"],
    ],
    ["no new category with the name of another", "hot DOGS", ["category Hot  dogs"]],
    ["only a new category if none matches", "Rabbit", ["create Rabbit"]],
    ["the category with a number before a new one", "3", ["category Dogs", "create 3"]],
    [
      "a number beyond 2^53 with all its digits",
      "9223372036854775807",
      ["no. 9223372036854775807", "create 9223372036854775807"],
    ],
  ])("%s", (_what, text, expected) => {
    expect(labels(text)).toEqual(expected);
  });
});

test("a whole name or a number names a category, and a part of a name does not", () => {
  expect(exactOption(categories, " hot dogs")).toEqual({ kind: "category", id: "4", name: "Hot  dogs" });
  expect(exactOption(categories, "5")).toEqual({ kind: "category", id: "5", name: "Cats" });
  expect(exactOption(categories, "-7")).toEqual({ kind: "number", id: "-7" });
  expect(exactOption(categories, "dog")).toBeUndefined();
  expect(exactOption(categories, "")).toBeUndefined();
});
