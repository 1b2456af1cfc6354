import { expect, test } from "bun:test";
import { GRANTS, SCOPES, type Grant, holds, isGrant } from "../../src/http/scopes.ts";

const ALL = [
  "pets:read",
  "pets:write",
  "orders:read",
  "orders:write",
  "platform:read",
  "platform:write",
  "metrics:read",
  "audit:read",
  "keys:admin",
  "people:admin",
] as const;

test("every scope can be granted, and * grants all of them", () => {
  expect(GRANTS as readonly string[]).toEqual(["*", ...ALL]);
});

test.each(ALL)("the documentation describes the operations that %s allows", (scope) => {
  expect(SCOPES[scope]).toMatch(/^[a-z]/);
});

test.each(["*", ...ALL])("%s can be granted", (text) => {
  expect(isGrant(text)).toBe(true);
});

test.each(["", "pets", "pets:*", "pets:delete", "PETS:READ", "**", "constructor"])(
  "%p cannot be granted",
  (text) => {
    expect(isGrant(text)).toBe(false);
  },
);

test.each<[Grant[], Grant, boolean]>([
  [["*"], "keys:admin", true],
  [["*"], "*", true],
  [["pets:read", "pets:write"], "pets:write", true],
  [["pets:read", "pets:write"], "orders:write", false],
  [["pets:read"], "*", false],
  [[], "pets:read", false],
])("a key with %j holds %s: %p", (granted, scope, isHeld) => {
  expect(holds({ scopes: new Set(granted) }, scope)).toBe(isHeld);
});
