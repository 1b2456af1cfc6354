import { describe, expect, test } from "bun:test";
import {
  GRANTS,
  type Key,
  type Reach,
  endOfDay,
  expiryOf,
  gracesOf,
  grantsOf,
  mayChange,
  mayGrant,
  rateLabel,
  rateOf,
  stateOf,
} from "../../../src/pages/console/ui/keys/key.ts";
import { parseRate } from "../../../src/lib/rate-limiter.ts";
import { GRANTS as API_GRANTS } from "../../../src/http/scopes.ts";
import { parseTime } from "../../../src/lib/time.ts";

describe("scopes", () => {
  test("are the API's", () => {
    expect(GRANTS.toSorted()).toEqual(API_GRANTS.toSorted());
  });

  test("that one's own key lacks are not granted", () => {
    expect(mayGrant(["pets:read", "keys:admin"], "pets:read")).toBe(true);
    expect(mayGrant(["pets:read", "keys:admin"], "pets:write")).toBe(false);
    expect(mayGrant(["pets:read", "keys:admin"], "*")).toBe(false);
    expect(GRANTS.every((grant) => mayGrant(["*"], grant))).toBe(true);
  });

  test("of another key must be covered to change it", () => {
    expect(mayChange({ scopes: ["keys:admin", "pets:read"] }, { scopes: ["pets:read"] })).toBe(true);
    expect(mayChange({ scopes: ["keys:admin"] }, { scopes: ["keys:admin", "orders:read"] })).toBe(false);
    expect(mayChange({ scopes: ["keys:admin"] }, { scopes: ["*"] })).toBe(false);
  });

  test("are requested in one order, and everything includes the others", () => {
    expect(grantsOf(new Set(["orders:read", "pets:read"] as const))).toEqual(["pets:read", "orders:read"]);
    expect(grantsOf(new Set(["pets:read", "*"] as const))).toEqual(["*"]);
    expect(grantsOf(new Set())).toEqual([]);
  });
});

test("a key that lives longer, or has no limit where one's own has, is not offered to be changed", () => {
  const own: Reach = { scopes: ["*"], expiresAt: "2026-12-05T00:00:00Z", rateLimit: "10/s" };
  const { expiresAt: _end, ...endless } = own;
  const { rateLimit: _limit, ...unlimited } = own;
  expect(mayChange(own, own)).toBe(true);
  expect(mayChange(own, { ...own, expiresAt: "2026-12-04T23:59:59.999Z", rateLimit: "5/s" })).toBe(true);
  expect(mayChange(own, { ...own, expiresAt: "2026-12-05T00:00:00.001Z" })).toBe(false);
  expect(mayChange(own, endless)).toBe(false);
  expect(mayChange(own, unlimited)).toBe(false);
  expect(mayChange({ scopes: own.scopes }, own)).toBe(true);
});

describe("the state of a key", () => {
  const NOW = Date.UTC(2026, 10, 20);
  const key: Key = { id: 2, name: "web", scopes: ["pets:read"], prefix: "aas_7Gx2", createdAt: "" };
  test.each([
    [{}, "active"],
    [{ expiresAt: "2026-11-20T00:00:00.001Z" }, "active"],
    [{ expiresAt: "2026-11-20T00:00:00Z" }, "expired"],
    [{ revokedAt: "2026-11-19T00:00:00Z" }, "revoked"],
    [{ revokedAt: "2026-11-19T00:00:00Z", expiresAt: "2026-11-18T00:00:00Z" }, "revoked"],
  ] as const)("with %j is %s", (fields, state) => {
    expect(stateOf({ ...key, ...fields }, NOW)).toBe(state);
  });
});

describe("the expiry of a new key", () => {
  const next = new Date(2026, 11, 6).toISOString();

  test("is the midnight after its last day, in the user's time zone", () => {
    expect(endOfDay("2026-12-05")).toBe(next);
    expect(endOfDay("2026-12-31")).toBe(new Date(2027, 0, 1).toISOString());
    expect(parseTime(endOfDay("2026-12-05"))).toBeNumber();
  });

  test("is absent without a day", () => {
    expect(expiryOf("", undefined)).toBeUndefined();
  });

  test("is not after that of the key that creates it", () => {
    const own = "2026-12-05T12:00:00.000Z";
    expect(expiryOf("", own)).toBe(own);
    expect(expiryOf("2027-01-01", own)).toBe(own);
    expect(expiryOf("2026-12-03", own)).toBe(endOfDay("2026-12-03"));
  });

  test("that is not a day is left to the API to refuse", () => {
    expect(expiryOf("soon", undefined)).toBe("soon");
    expect(parseTime("soon")).toBeUndefined();
  });
});

describe("a limit", () => {
  test.each([
    ["600", "min", "600/min", "600 a minute"],
    [" 10 ", "s", "10/s", "10 a second"],
    ["5000", "h", "5000/h", "5000 an hour"],
  ] as const)("of %p each %s is %s, in words %s", (requests, window, rate, words) => {
    expect(rateOf(requests, window)).toBe(rate);
    expect(parseRate(rate)).toBeDefined();
    expect(rateLabel(rate)).toBe(words);
  });

  test("that is left empty is that of the key that creates it, or none", () => {
    expect(rateOf(" ", "min")).toBeUndefined();
    expect(rateOf(" ", "min", "10/s")).toBe("10/s");
    expect(rateOf("5", "s", "10/s")).toBe("5/s");
  });

  test("that is not a number is left to the API to refuse", () => {
    expect(parseRate(rateOf("many", "s") ?? "")).toBeUndefined();
  });
});

test("the secret of the session does not expire immediately", () => {
  expect(gracesOf(false).map(([seconds]) => seconds)).toContain("0");
  expect(gracesOf(true).map(([seconds]) => seconds)).not.toContain("0");
});
