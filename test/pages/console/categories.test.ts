import { describe, expect, test } from "bun:test";
import { byName, categoriesPath, categoryOf } from "../../../src/pages/console/ui/categories/category.ts";

const dogs = { id: 3, name: "Dogs" };
const cats = { id: 4, name: "cats" };

describe("the category", () => {
  test.each([3, 3n, "3", " 3 "])("with the id %p is found", (id) => {
    expect(categoryOf([cats, dogs], id)).toBe(dogs);
  });

  test.each(["", "30", "03", 2n ** 53n + 1n])("with the id %p does not exist", (id) => {
    expect(categoryOf([cats, dogs], id)).toBeUndefined();
  });

  test("whose id a double would confuse with another does not exist", () => {
    expect(categoryOf([{ id: 2 ** 53, name: "Dogs" }], 2n ** 53n + 1n)).toBeUndefined();
  });
});

test("categories are sorted by name, whatever the case", () => {
  expect(byName([dogs, cats])).toEqual([cats, dogs]);
});

test("each action on a category has an address of its own", () => {
  expect(categoriesPath()).toBe("/console/categories");
  expect(categoriesPath(3, "rename")).toBe("/console/categories/3/rename");
});
