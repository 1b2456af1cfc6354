import { expect, test } from "bun:test";
import { type Limits, limitsOf, parseLimits } from "../../src/lib/acme-limits.ts";
import { words } from "../support/words.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const CA = "https://ca.test/directory";
const LETS_ENCRYPT: Limits = {
  orders: { max: 300, withinMs: 3 * HOUR },
  domain: { max: 50, withinMs: 7 * DAY },
  name: { max: 5, withinMs: 7 * DAY },
  failures: { max: 5, withinMs: HOUR },
};

test.each<[directory: string, limits: object]>([
  ["https://acme-v02.api.letsencrypt.org/directory", LETS_ENCRYPT],
  [CA, LETS_ENCRYPT],
  [
    "https://acme-staging-v02.api.letsencrypt.org/directory",
    {
      orders: { max: 1500, withinMs: 3 * HOUR },
      domain: { max: 30_000, withinMs: 7 * DAY },
      name: { max: 30_000, withinMs: 7 * DAY },
      failures: { max: 200, withinMs: HOUR },
    },
  ],
  ["https://acme.zerossl.com/v2/DV90", {}],
])("without a setting %s has its published limits, or Let's Encrypt's", (directory, limits) => {
  expect(limitsOf(directory)).toEqual(limits);
});

test.each<[text: string, limits: Limits]>([
  ["letsencrypt", LETS_ENCRYPT],
  ["none", {}],
  ["none orders=20/90m", { orders: { max: 20, withinMs: 90 * 60_000 } }],
  [
    "orders=5000/3h  domain=none",
    {
      orders: { max: 5000, withinMs: 3 * HOUR },
      name: { max: 5, withinMs: 7 * DAY },
      failures: { max: 5, withinMs: HOUR },
    },
  ],
  ["orders=1/1h orders=2/1h", { ...LETS_ENCRYPT, orders: { max: 2, withinMs: HOUR } }],
])("%p is a preset, changes to one, or both", (text, limits) => {
  expect(limitsOf(CA, parseLimits(text)?.[0])).toEqual(limits);
});

const REFUSED = words(`
  unknown orders orders= orders=0/1h orders=300 orders=300/0h orders=300/8d orders=300/3w orders=-1/3h
  accounts=10/3h orders=300/3h;domain=50/7d`);

test.each([...REFUSED, "orders=300/3h letsencrypt"])("%p is refused", (text) => {
  expect(parseLimits(text)).toBeUndefined();
});
