import { describe, expect, test } from "bun:test";
import { ATTEMPTS, type Attempt, MAX_WINDOW_MS, findExhaustedLimit } from "../../src/certificates/budget.ts";

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const WEEK = 7 * 24 * HOUR;
const NOW = Date.UTC(2026, 10, 22);

const NAME = { hostname: "docs.example.org", apex: "example.org" };
const SIBLING = { hostname: "www.example.org", apex: "example.org" };
const STRANGER = { hostname: "docs.example.net", apex: "example.net" };

/** So many attempts, one a second: the youngest a second ago. */
const attempts = (kind: Attempt["kind"], count: number, name: typeof NAME = NAME, newest = NOW - SECOND) =>
  Array.from({ length: count }, (_, at): Attempt => ({ kind, ...name, at: newest - at * SECOND }));

const exhausted = (counted: readonly Attempt[], { isRenewal = false, now = NOW } = {}) =>
  findExhaustedLimit({ ...NAME, isRenewal }, counted, now);

interface Case {
  kind: Attempt["kind"];
  most: number;
  withinMs: number;
  /** The name whose attempts count with those of `NAME`, and the one whose do not. */
  counts: typeof NAME;
  differs: typeof NAME | undefined;
  detail: string;
}

/** Let's Encrypt's published limits: letsencrypt.org/docs/rate-limits. */
const LIMITS: [string, Case][] = [
  [
    "failed attempts for one name",
    {
      kind: "refused",
      most: 5,
      withinMs: HOUR,
      counts: NAME,
      differs: SIBLING,
      detail: "5 failed attempts for this name in an hour are allowed.",
    },
  ],
  [
    "certificates for one name",
    {
      kind: "issued",
      most: 5,
      withinMs: WEEK,
      counts: NAME,
      differs: SIBLING,
      detail: "5 certificates for this name in a week are allowed.",
    },
  ],
  [
    "certificates below one registered domain",
    {
      kind: "issued",
      most: 50,
      withinMs: WEEK,
      counts: SIBLING,
      differs: STRANGER,
      detail: "50 certificates below its registered domain in a week are allowed.",
    },
  ],
  [
    "orders of the account",
    {
      kind: "order",
      most: 300,
      withinMs: 3 * HOUR,
      counts: STRANGER,
      differs: undefined,
      detail: "300 orders of this service in three hours are allowed.",
    },
  ],
];

describe.each(LIMITS)("the limit of %s", (_, { kind, most, withinMs, counts, detail }) => {
  test("allows one attempt fewer", () => {
    expect(exhausted(attempts(kind, most - 1, counts))).toBeUndefined();
  });

  test("holds until the oldest attempt that counts leaves its window", () => {
    const until = NOW - most * SECOND + withinMs;
    expect(exhausted(attempts(kind, most, counts))).toEqual({ detail, until });
  });

  test("holds until all surplus attempts have left the window", () => {
    const until = NOW - most * SECOND + withinMs;
    expect(exhausted(attempts(kind, most + 3, counts))).toEqual({ detail, until });
  });

  test("holds to the last millisecond of the window, and no longer", () => {
    const counted = attempts(kind, most, counts);
    const until = NOW - most * SECOND + withinMs;
    expect(exhausted(counted, { now: until - 1 })).toEqual({ detail, until });
    expect(exhausted(counted, { now: until })).toBeUndefined();
  });

  test("counts attempts in any order", () => {
    const counted = attempts(kind, most, counts);
    expect(exhausted(counted.toReversed())).toEqual(exhausted(counted));
  });
});

test.each(LIMITS.filter(([, { differs }]) => differs))(
  "the limit of %s does not count attempts for others",
  (_, { kind, most, differs }) => {
    expect(exhausted(attempts(kind, most, differs))).toBeUndefined();
  },
);

test("of several exhausted limits the one that ends last is returned", () => {
  const refused = attempts("refused", 5);
  const issued = attempts("issued", 5);
  expect(exhausted([...refused, ...issued])?.detail).toContain("in a week");
  expect(exhausted([...issued, ...refused])?.detail).toContain("in a week");
  const old = attempts("issued", 5, NAME, NOW - WEEK + HOUR / 2);
  expect(exhausted([...refused, ...old])?.detail).toContain("in an hour");
});

test("a renewal need not wait for certificates that were issued", () => {
  const issued = [...attempts("issued", 5), ...attempts("issued", 50, SIBLING)];
  expect(exhausted(issued)).toBeDefined();
  expect(exhausted(issued, { isRenewal: true })).toBeUndefined();
});

test.each([
  ["failed attempts", "refused", 5],
  ["orders", "order", 300],
] as const)("a renewal waits for %s as a first certificate does", (_, kind, most) => {
  expect(exhausted(attempts(kind, most), { isRenewal: true })).toBeDefined();
});

test("orders, refusals and certificates count", () => {
  expect(ATTEMPTS).toEqual(["order", "refused", "issued"]);
});

test("without attempts nothing is exhausted", () => {
  expect(exhausted([])).toBeUndefined();
});

test("no limit counts attempts that are older than a week", () => {
  expect(MAX_WINDOW_MS).toBe(WEEK);
});
