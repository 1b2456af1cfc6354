import { expect, test } from "bun:test";
import { GRANTS, SCOPES, type Grant, holds, isGrant } from "../../src/http/scopes.ts";

test("every scope and * can be granted, and each scope is described", () => {
  expect(GRANTS).toEqual([
    "*",
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
  ]);
  expect(GRANTS.filter((grant) => !isGrant(grant))).toEqual([]);
  for (const description of Object.values(SCOPES)) expect(description).toMatch(/^[a-z]/);
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
