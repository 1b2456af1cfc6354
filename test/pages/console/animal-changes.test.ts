import { describe, expect, test } from "bun:test";
import {
  type Pages,
  itemsOf,
  mayEnter,
  patchItems,
  patchPages,
  withFirst,
} from "../../../src/pages/console/ui/animals/changes.ts";
import type { Animal } from "../../../src/pages/console/ui/animals/animal.ts";

const animal = (id: number, more: Partial<Animal> = {}): Animal => ({
  id,
  name: `Animal ${id}`,
  categoryId: 1,
  ...more,
});

/** A list with these ids on its pages. */
const listOf = (pages: readonly (readonly number[])[], hasMore = false): Pages => ({
  pages: pages.map((ids, at) => ({
    items: ids.map((id) => animal(id)),
    next: at < pages.length - 1 || hasMore ? "cursor" : undefined,
  })),
  pageParams: pages.map(() => ""),
});

const idsOf = (list: Pages) => itemsOf(list).map(({ id }) => id);

describe("changes that others make", () => {
  const list = listOf([
    [9, 8],
    [7, 6],
  ]);

  test("show in their rows, and leave the pages alone that they are not on", () => {
    const patched = patchPages(list, new Map([[7, animal(7, { status: "sold" })]]));
    expect(itemsOf(patched).map(({ status }) => status)).toEqual([undefined, undefined, "sold", undefined]);
    expect(patched.pages[0]).toBe(list.pages[0]);
  });

  test("are nothing new if the list shows them already, also of a category beyond a double", () => {
    const most = 9223372036854775807n;
    const items = [animal(7, { categoryId: most })];
    expect(patchItems(items, new Map([[7, animal(7, { categoryId: most })]]))).toBe(items);
    expect(patchPages(list, new Map([[7, animal(7)]]))).toBe(list);
    expect(patchPages(list, new Map([[1, undefined]]))).toBe(list);
  });

  test("take a deleted animal out", () => {
    expect(idsOf(patchPages(list, new Map([[8, undefined]])))).toEqual([9, 7, 6]);
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
    expect(withFirst(list, [animal(1)])).toBe(list);
  });
});
