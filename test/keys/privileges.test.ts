import { describe, expect, test } from "bun:test";
import { isWithinRate, parseRate } from "../../src/keys/rate.ts";
import { type Privileges, findExcess } from "../../src/keys/privileges.ts";
import type { Grant } from "../../src/lib/scopes.ts";

const reach = (scopes: Grant[], expiresAt?: number, rate?: string): Privileges => ({
  scopes: new Set(scopes),
  expiresAt,
  rate: rate === undefined ? undefined : parseRate(rate),
});

describe("a key with bounded privileges", () => {
  test.each<[string, Privileges, Privileges]>([
    ["itself", reach(["keys:admin"], 7, "10/s"), reach(["keys:admin"], 7, "10/s")],
    ["a key with fewer scopes", reach(["keys:admin", "pets:read"]), reach(["pets:read"])],
    ["any scope if it has all", reach(["*"]), reach(["pets:read", "keys:admin"])],
    ["a key that ends earlier", reach(["*"], 7), reach(["*"], 6)],
    ["a key that ends if it does not", reach(["*"]), reach(["*"], 6)],
    ["a key with a limit if it has none", reach(["*"]), reach(["*"], undefined, "10/s")],
    ["a key with a lower limit", reach(["*"], undefined, "10/s"), reach(["*"], undefined, "9/s")],
  ])("may create %s", (_, own, other) => {
    expect(findExcess(own, other)).toBeUndefined();
  });

  test.each<[string, Privileges, Privileges, string]>([
    ["another scope", reach(["keys:admin"]), reach(["keys:admin", "pets:read"]), "scope"],
    ["all scopes", reach(["keys:admin"]), reach(["*"]), "scope"],
    ["a later end", reach(["*"], 7), reach(["*"], 8), "lifetime"],
    ["no end", reach(["*"], 7), reach(["*"]), "lifetime"],
    ["a looser limit", reach(["*"], undefined, "10/s"), reach(["*"], undefined, "11/s"), "rate"],
    ["no limit", reach(["*"], undefined, "10/s"), reach(["*"]), "rate"],
  ])("may not create a key with %s", (_, own, other, kind) => {
    expect(findExcess(own, other)?.kind).toBe(kind as "scope");
  });

  test("gets the first scope that it lacks, or the expiry or limit that it cannot exceed", () => {
    const own = reach(["keys:admin"], 7, "10/s");
    expect(findExcess(own, reach(["pets:read", "pets:write"]))).toEqual({
      kind: "scope",
      scope: "pets:read",
    });
    expect(findExcess(own, reach(["keys:admin"], 8))).toEqual({ kind: "lifetime", end: 7 });
    expect(findExcess(own, reach(["keys:admin"], 7))).toEqual({
      kind: "rate",
      rate: { requests: 10, seconds: 1 },
    });
  });
});

test.each([
  ["600/min", "600/min", true],
  ["600/min", "10/s", true],
  ["600/min", "11/s", false],
  ["600/min", "600/h", true],
  ["600/min", "601/h", false],
  // As many in the long run, but all 600 may come in one second.
  ["10/s", "600/min", false],
  ["10/s", "10/min", true],
  ["3600/h", "1/s", true],
  ["3600/h", "2/s", false],
])("a limit of %s and one of %s in any other window: within is %p", (own, other, isWithin) => {
  const rates = [parseRate(own), parseRate(other)] as const;
  expect(rates[0] && rates[1] && isWithinRate(rates[0], rates[1])).toBe(isWithin);
});
