import { expect, test } from "bun:test";
import { isWithinRate, parseRate } from "../../src/lib/rate-limiter.ts";
import { type Privileges, findExcess } from "../../src/access/privilege-ceiling.ts";
import type { Grant } from "../../src/http/scopes.ts";

const privileges = (scopes: Grant[], expiresAt?: number, rate?: string): Privileges => ({
  scopes: new Set(scopes),
  expiresAt,
  rate: rate === undefined ? undefined : parseRate(rate),
});

test.each<[string, Privileges, Privileges]>([
  [
    "a key with the same privileges",
    privileges(["keys:admin"], 7, "10/s"),
    privileges(["keys:admin"], 7, "10/s"),
  ],
  ["a key with fewer scopes", privileges(["keys:admin", "pets:read"]), privileges(["pets:read"])],
  ["a key with any scope if it has all", privileges(["*"]), privileges(["pets:read", "keys:admin"])],
  ["a key that expires earlier", privileges(["*"], 7), privileges(["*"], 6)],
  ["a key that expires if it does not expire itself", privileges(["*"]), privileges(["*"], 6)],
  ["a key with a limit if it has none", privileges(["*"]), privileges(["*"], undefined, "10/s")],
  ["a key with a lower limit", privileges(["*"], undefined, "10/s"), privileges(["*"], undefined, "9/s")],
])("a key with bounded privileges may create %s", (_, own, other) => {
  expect(findExcess(own, other)).toBeUndefined();
});

test.each<[string, Privileges, Privileges, string]>([
  ["another scope", privileges(["keys:admin"]), privileges(["keys:admin", "pets:read"]), "scope"],
  ["all scopes", privileges(["keys:admin"]), privileges(["*"]), "scope"],
  ["a later expiry", privileges(["*"], 7), privileges(["*"], 8), "lifetime"],
  ["no expiry", privileges(["*"], 7), privileges(["*"]), "lifetime"],
  ["a looser limit", privileges(["*"], undefined, "10/s"), privileges(["*"], undefined, "11/s"), "rate"],
  ["no limit", privileges(["*"], undefined, "10/s"), privileges(["*"]), "rate"],
])("a key with bounded privileges may not create a key with %s", (_, own, other, kind) => {
  expect(findExcess(own, other)?.kind).toBe(kind as "scope");
});

test("a refused key is reported with the first missing scope, or with the expiry or limit that it exceeds", () => {
  const own = privileges(["keys:admin"], 7, "10/s");
  expect(findExcess(own, privileges(["pets:read", "pets:write"]))).toEqual({
    kind: "scope",
    scope: "pets:read",
  });
  expect(findExcess(own, privileges(["keys:admin"], 8))).toEqual({ kind: "lifetime", end: 7 });
  expect(findExcess(own, privileges(["keys:admin"], 7))).toEqual({
    kind: "rate",
    rate: { requests: 10, seconds: 1 },
  });
});

test.each([
  ["600/min", "600/min", true],
  ["600/min", "10/s", true],
  ["600/min", "11/s", false],
  ["600/min", "600/h", true],
  ["600/min", "601/h", false],
  // The same number in the long run, but all 600 may come in one second.
  ["10/s", "600/min", false],
  ["10/s", "10/min", true],
  ["3600/h", "1/s", true],
  ["3600/h", "2/s", false],
])("a limit of %s allows as much as one of %s: %p", (own, other, isWithin) => {
  const rates = [parseRate(own), parseRate(other)] as const;
  expect(rates[0] && rates[1] && isWithinRate(rates[0], rates[1])).toBe(isWithin);
});
