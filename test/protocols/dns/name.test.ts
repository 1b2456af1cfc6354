import { expect, test } from "bun:test";
import { challengeNameOf, isQueryable, isSameName, withParents } from "../../../src/protocols/dns/name.ts";

test("names are the same without ASCII case and the final dot", () => {
  expect(isSameName("Docs.Example.ORG.", "docs.example.org")).toBe(true);
  expect(isSameName("a.b", "a.c")).toBe(false);
});

test("a name's parents end at the top-level domain", () => {
  expect(withParents("a.b.test")).toEqual(["a.b.test", "b.test", "test"]);
});

test.each(["a.test", "*.a.test"])("the challenge for %s has the name of its domain", (domain) => {
  expect(challengeNameOf(domain)).toBe("_acme-challenge.a.test");
});

test.each([
  ["of 63 characters in a label", "a".repeat(63)],
  ["of 253 characters", `${"a.".repeat(126)}b`],
  ["of all printed characters", "!~*_-/"],
  ["of one character", "a"],
  ["of a challenge", "_acme-challenge.docs.example.org"],
])("a name %s can be queried", (_, name) => {
  expect(isQueryable(name)).toBe(true);
});

test.each([
  ["of no characters", ""],
  ["with an empty label", "a..b"],
  ["with a space in it", "a b.test"],
  ["with a letter beyond ASCII", "\ufffd.test"],
  ["of 64 characters in its first label", `${"a".repeat(64)}.test`],
  ["of 64 characters in a label", `a.${"b".repeat(64)}`],
  ["of 254 characters", `${"a.".repeat(126)}bb`],
  ["with a space before it", " a"],
  ["with a line feed after it", "a\n"],
  ["with a final dot", "a."],
  ["with a DEL", "a\x7f"],
])("a name %s cannot be queried", (_, name) => {
  expect(isQueryable(name)).toBe(false);
});
