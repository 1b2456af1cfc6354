import { afterAll, describe, expect, test } from "bun:test";
import {
  type AttemptKind,
  type NthNewest,
  findExhaustedLimit,
  orderSlots,
} from "../../../src/platform/certificates/budget.ts";
import { certificateRepository } from "../../../src/platform/certificates/repository.ts";
import { acmeAttempts } from "../../../src/data/db/schema/certificates.ts";
import { openDatabase } from "../../../src/data/db/open.ts";
import { insert, statement, valuesFor } from "../../../src/data/db/statement.ts";
import { certificateEffects } from "../../../src/platform/domains/stage-repository.ts";
import { MAX_WINDOW_MS, limitsOf } from "../../../src/lib/acme-limits.ts";
import { temporaryDirectory } from "../../support/store.ts";

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const WEEK = 7 * 24 * HOUR;
const NOW = Date.UTC(2026, 10, 22);

const NAME = { hostname: "docs.example.org", apex: "example.org" };
const SIBLING = { hostname: "www.example.org", apex: "example.org" };
const STRANGER = { hostname: "docs.example.net", apex: "example.net" };

interface Attempt {
  kind: AttemptKind;
  hostname: string;
  apex: string;
  at: number;
}

/** So many attempts, one a second: the youngest a second ago. */
const attempts = (kind: AttemptKind, count: number, name: typeof NAME = NAME, newest = NOW - SECOND) =>
  Array.from({ length: count }, (_, index): Attempt => ({ kind, ...name, at: newest - index * SECOND }));

const AUTHORITY = "https://ca.test/directory";
const database = openDatabase(`${temporaryDirectory()}/store.db`);
const { nthAttempt } = certificateRepository(database, certificateEffects);
afterAll(() => database.close());

const INSERT = statement(insert(acmeAttempts, valuesFor("authority", "kind", "hostname", "apex", "at")));

/** Reads the attempts from a database that also has attempts at another CA. */
const nthOf = (counted: readonly Attempt[]): NthNewest => {
  database.client.run("DELETE FROM acme_attempts");
  for (const authority of [AUTHORITY, "https://other.test/directory"])
    for (const one of authority === AUTHORITY ? counted : [...counted, ...counted])
      INSERT.all(database.client, { authority, ...one });
  return (of, nth) => nthAttempt(AUTHORITY, of, nth);
};

const exhausted = (
  counted: readonly Attempt[],
  { isRenewal = false, isPrior = true, limits = limitsOf(AUTHORITY), now = NOW } = {},
) => findExhaustedLimit(limits, { ...NAME, isRenewal, isPrior }, nthOf(counted), now);

interface Case {
  kind: AttemptKind;
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
      detail: "5 failed attempts for this name in 1 hour are allowed.",
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
      detail: "5 certificates for this name in 7 days are allowed.",
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
      detail: "50 certificates below its registered domain in 7 days are allowed.",
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
      detail: "300 orders of this service in 3 hours are allowed.",
    },
  ],
];

describe.each(LIMITS)("the limit of %s", (_, { kind, most, withinMs, counts, detail }) => {
  test("a limit allows one attempt fewer", () => {
    expect(exhausted(attempts(kind, most - 1, counts))).toBeUndefined();
  });

  test("a limit holds until the oldest attempt that counts leaves its window", () => {
    const until = NOW - most * SECOND + withinMs;
    expect(exhausted(attempts(kind, most, counts))).toEqual({ detail, until });
  });

  test("a limit holds until all surplus attempts have left the window", () => {
    const until = NOW - most * SECOND + withinMs;
    expect(exhausted(attempts(kind, most + 3, counts))).toEqual({ detail, until });
  });

  test("a limit holds to the last millisecond of the window, and no longer", () => {
    const counted = attempts(kind, most, counts);
    const until = NOW - most * SECOND + withinMs;
    expect(exhausted(counted, { now: until - 1 })).toEqual({ detail, until });
    expect(exhausted(counted, { now: until })).toBeUndefined();
  });

  test("a limit counts attempts in any order", () => {
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

test("of several exhausted limits, the one that ends last is returned", () => {
  const refused = attempts("refused", 5);
  const issued = attempts("issued", 5);
  expect(exhausted([...refused, ...issued])?.detail).toContain("in 7 days");
  expect(exhausted([...issued, ...refused])?.detail).toContain("in 7 days");
  const old = attempts("issued", 5, NAME, NOW - WEEK + HOUR / 2);
  expect(exhausted([...refused, ...old])?.detail).toContain("in 1 hour");
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

test("without attempts nothing is exhausted", () => {
  expect(exhausted([])).toBeUndefined();
});

test("an order that may not use the reserve waits for the last tenth of the orders", () => {
  expect(exhausted(attempts("order", 269), { isPrior: false })).toBeUndefined();
  expect(exhausted(attempts("order", 270), { isPrior: false })).toEqual({
    detail: "300 orders of this service in 3 hours are allowed.",
    until: NOW - 270 * SECOND + 3 * HOUR,
  });
  expect(exhausted(attempts("order", 270))).toBeUndefined();
});

test("a CA without limits is never exhausted, and a setting replaces one", () => {
  const counted = [...attempts("order", 400), ...attempts("issued", 60), ...attempts("refused", 9)];
  expect(exhausted(counted, { limits: {} })).toBeUndefined();
  expect(exhausted(counted, { limits: limitsOf(AUTHORITY, ["none", "orders=401/1d"]) })).toBeUndefined();
  expect(exhausted(counted, { limits: limitsOf(AUTHORITY, ["none", "orders=400/90m"]) })?.detail).toBe(
    "400 orders of this service in 90 minutes are allowed.",
  );
});

const limit = { max: 20, withinMs: HOUR };
const orders = (count: number, first = NOW - 30 * 60 * SECOND) =>
  Array.from({ length: count }, (_, index) => first + index * SECOND);

test("the slots of the CAs are open up to the limit, and without the reserve for ordinary orders", () => {
  const { open } = orderSlots([{ limit, orders: orders(5) }], 2, NOW);
  expect([open(true), open(false)]).toEqual([13, 11]);
});

test("the slots of several CAs add up, and an exhausted one takes none from the others", () => {
  const budgets = [
    { limit, orders: orders(25) },
    { limit, orders: orders(19) },
  ];
  const { open } = orderSlots(budgets, 0, NOW);
  expect([open(true), open(false)]).toEqual([1, 0]);
});

test("the slots of the CAs free up one by one as orders leave the window, and again a window later", () => {
  const { freeAt } = orderSlots([{ limit, orders: orders(20) }], 0, NOW);
  const first = NOW + HOUR / 2;
  expect(freeAt(1, true)).toBe(first);
  expect(freeAt(20, true)).toBe(first + 19 * SECOND);
  expect(freeAt(21, true)).toBe(first + HOUR);
  expect(freeAt(1, false)).toBe(first + 2 * SECOND);
  expect(freeAt(19, false)).toBe(first + 2 * SECOND + HOUR);
});

test("the slots that are open now are free now", () => {
  const { freeAt } = orderSlots([{ limit, orders: orders(17) }], 1, NOW);
  expect([freeAt(1, true), freeAt(2, true), freeAt(3, true)]).toEqual([NOW, NOW, NOW + HOUR / 2]);
  expect(freeAt(1, false)).toBe(NOW + HOUR / 2);
  expect(freeAt(18, false)).toBe(NOW + HOUR);
});

test("the longest window of a setting is the retention time of attempts", () => {
  expect(MAX_WINDOW_MS).toBe(WEEK);
});
