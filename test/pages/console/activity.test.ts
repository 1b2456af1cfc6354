import { describe, expect, test } from "bun:test";
import {
  belongsTo,
  changeWords,
  isChange,
  isOwn,
  resourceWords,
  verbOf,
} from "../../../src/pages/console/ui/audit/words.ts";
import { byName, categoriesPath, categoryOf } from "../../../src/pages/console/ui/categories/category.ts";

const words = (change: Parameters<typeof changeWords>[0], isChange: boolean) =>
  changeWords(change, isChange, (id) => (id === "7" ? "Dogs" : id));

describe("a changed field", () => {
  test.each([
    [{ field: "name", from: "Rex", to: "Max" }, "Name: Rex → Max"],
    [{ field: "status", from: "sold" }, "Status: adopted → none"],
    [{ field: "categoryId", from: "7", to: "8" }, "Category: Dogs → 8"],
    [{ field: "stage", from: "awaiting_dns", to: "verified" }, "Stage: waiting for DNS → verified"],
  ])("%j reads: %s", (change, expected) => {
    expect(words(change, true)).toBe(expected);
  });

  test.each([
    [{ field: "role", to: "staff" }, "Role: staff"],
    [{ field: "scopes", to: "*" }, "Permissions: full access"],
    [{ field: "scopes", to: "pets:read orders:read" }, "Permissions: pets:read, orders:read"],
  ])("of something new, %j reads: %s", (change, expected) => {
    expect(words(change, false)).toBe(expected);
  });
});

test.each([
  ["pet.added", "added"],
  ["deploy.published", "published"],
  ["order.erased", "erased the adopter of"],
  ["person.passkey_added", "added a passkey to"],
] as const)("%s reads: %s", (action, verb) => {
  expect(verbOf(action)).toBe(verb);
});

test.each([
  [{ kind: "photo", id: "12", name: "Bella", parent: { kind: "pet", id: "7" } }, "a photo of Bella"],
  [{ kind: "deploy", id: "4", parent: { kind: "project", id: "docs" } }, "deploy 4 in project docs"],
] as const)("%j reads: %s", (resource, words) => {
  expect(resourceWords(resource) + belongsTo(resource)).toBe(words);
});

test("a person who was added had no role before", () => {
  expect(isChange("person.added")).toBe(false);
  expect(isChange("person.changed")).toBe(true);
});

test("an action of people on themselves is recognized", () => {
  const resource = { kind: "person", id: "3" } as const;
  expect(isOwn({ actor: { kind: "person", id: 3 }, resource })).toBe(true);
  expect(isOwn({ actor: { kind: "person", id: 4 }, resource })).toBe(false);
  expect(isOwn({ actor: { kind: "key", id: 3 }, resource })).toBe(false);
});

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

test("categories are sorted by name, regardless of case", () => {
  expect(byName([dogs, cats])).toEqual([cats, dogs]);
});

test("each action on a category has a separate address", () => {
  expect(categoriesPath()).toBe("/console/categories");
  expect(categoriesPath(3, "rename")).toBe("/console/categories/3/rename");
});
