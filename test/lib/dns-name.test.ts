import { expect, test } from "bun:test";
import { canonicalName } from "../../src/lib/dns-name.ts";

test("a name loses ASCII capitals, and no other letter is folded", () => {
  expect(canonicalName("Docs.Example.ORG")).toBe("docs.example.org");
  expect(canonicalName("\u212a.test")).toBe("\u212a.test");
  expect(canonicalName("a.b")).toBe("a.b");
});

test("a name loses one final dot, and no other", () => {
  expect(canonicalName("Docs.Example.ORG..")).toBe("docs.example.org.");
  expect(canonicalName(".")).toBe("");
});
