import { describe, expect, test } from "bun:test";
import { changeWords, isChange, isOwn, verbOf } from "../../../src/pages/console/ui/audit/words.ts";

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

test("a person who was added had no role before", () => {
  expect(isChange("person.added")).toBe(false);
  expect(isChange("person.changed")).toBe(true);
});

test("people are recognized in what they did to themselves", () => {
  const resource = { kind: "person", id: "3" } as const;
  expect(isOwn({ actor: { kind: "person", id: 3 }, resource })).toBe(true);
  expect(isOwn({ actor: { kind: "person", id: 4 }, resource })).toBe(false);
  expect(isOwn({ actor: { kind: "key", id: 3 }, resource })).toBe(false);
});
