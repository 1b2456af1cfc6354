import { expect, test } from "bun:test";
import { isQueryable, isSameName, withParents } from "../../../src/protocols/dns/name.ts";

test("names are the same without ASCII case and the final dot", () => {
  expect(isSameName("Docs.Example.ORG.", "docs.example.org")).toBe(true);
  expect(isSameName("a.b", "a.c")).toBe(false);
});

test("a name's parents end at the top-level domain", () => {
  expect(withParents("a.b.test")).toEqual(["a.b.test", "b.test", "test"]);
});

test("names that no query can have are not queryable", () => {
  for (const name of [
    "",
    "a..b",
    "a b.test",
    "\ufffd.test",
    `${"a".repeat(64)}.test`,
    `${"a.".repeat(130)}test`,
  ])
    expect(isQueryable(name)).toBe(false);
  expect(isQueryable("_acme-challenge.docs.example.org")).toBe(true);
});

test.each([
  ["of 63 characters in a label", "a".repeat(63)],
  ["of 253 characters", `${"a.".repeat(126)}b`],
  ["of all printed characters", "!~*_-/"],
  ["of one character", "a"],
])("a name %s can be queried", (_, name) => {
  expect(isQueryable(name)).toBe(true);
});

test.each([
  ["of 64 characters in a label", `a.${"b".repeat(64)}`],
  ["of 254 characters", `${"a.".repeat(126)}bb`],
  ["with a space before it", " a"],
  ["with a line feed after it", "a\n"],
  ["with a final dot", "a."],
  ["with a DEL", "a\x7f"],
])("a name %s cannot be queried", (_, name) => {
  expect(isQueryable(name)).toBe(false);
});
