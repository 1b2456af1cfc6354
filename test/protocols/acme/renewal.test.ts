import { describe, expect, test } from "bun:test";
import { renewalTime, retryTime } from "../../../src/protocols/acme/renewal.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const START = Date.UTC(2026, 10, 20);
const FIRST = () => 0;
const LAST = () => 0.999_999_999;

/** Days after it was issued, for a certificate of so many days. */
const renewalDay = (days: number, random: () => number, now = START): number =>
  (renewalTime({ validity: { notBefore: START, notAfter: START + days * DAY }, now }, random) - START) / DAY;

test.each([
  ["of 90 days with 30 left", 90, 60],
  ["of 47 days with a third left", 47, 31.333_333],
  ["of 10 days with a third left", 10, 6.666_667],
  ["of 9 days with half left", 9, 4.5],
  ["of 6 days with half left", 6, 3],
  ["of an hour with half left", 1 / 24, 1 / 48],
])("without a window a certificate %s is due", (_, days, expected) => {
  expect(renewalDay(days, FIRST)).toBeCloseTo(expected, 5);
});

test("without a window a certificate is renewed at most a tenth of the remaining lifetime later", () => {
  expect(renewalDay(90, LAST)).toBeCloseTo(63, 5);
  expect(renewalDay(6, LAST)).toBeCloseTo(3.3, 5);
});

test("without a window a certificate is renewed now if its time has passed, expired or not", () => {
  expect(renewalDay(90, FIRST, START + 80 * DAY)).toBe(80);
  expect(renewalDay(90, LAST, START + 100 * DAY)).toBe(100);
});

describe("the window", () => {
  const validity = { notBefore: START, notAfter: START + 90 * DAY };
  const window = { start: START + 10 * DAY, end: START + 20 * DAY };
  const day = (random: () => number, now = START, other = window) =>
    (renewalTime({ validity, window: other, now }, random) - START) / DAY;

  test("with a window a certificate is renewed at a random time in it", () => {
    expect([day(FIRST), day(() => 0.5), day(LAST)].map(Math.round)).toEqual([10, 15, 20]);
    expect(day(LAST)).toBeLessThanOrEqual(20);
  });

  test("with a window a certificate is renewed now if that time has passed", () => {
    expect(day(() => 0.5, START + 16 * DAY)).toBe(16);
    expect(day(() => 0.5, START + 12 * DAY)).toBe(15);
    expect(day(LAST, START + 50 * DAY)).toBe(50);
  });

  test("a certificate whose window is empty or ends after its expiry is renewed as without a window", () => {
    expect(day(FIRST, START, { start: START + 80 * DAY, end: START + 91 * DAY })).toBe(60);
    expect(day(FIRST, START, { start: START + 20 * DAY, end: START + 10 * DAY })).toBe(60);
    expect(day(FIRST, START, { start: START + 20 * DAY, end: START + 20 * DAY })).toBe(60);
    expect(day(FIRST, START, { start: START + 80 * DAY, end: START + 90 * DAY })).toBe(80);
  });
});

const minutes = (failures: number, random: () => number, retryAfterMs?: number): number =>
  (retryTime({ failures, retryAfterMs, now: START }, random) - START) / MINUTE;

test("a failure is retried in 1, 10 and 100 minutes, then daily", () => {
  expect([1, 2, 3, 4, 5, 1000].map((failures) => minutes(failures, FIRST))).toEqual([
    1, 10, 100, 1440, 1440, 1440,
  ]);
});

test("a failure is retried at most a tenth of the delay later", () => {
  expect(minutes(1, LAST)).toBeCloseTo(1.1, 3);
  expect(minutes(4, LAST)).toBeCloseTo(1584, 3);
});

test("a failure is retried within an eighth of the time that the certificate in use is still valid, but not below a minute", () => {
  const minutesWith = (left: number) =>
    (retryTime({ failures: 4, notAfter: START + left, now: START }, FIRST) - START) / MINUTE;
  expect([30 * DAY, 80 * 60 * MINUTE, MINUTE, 0, -DAY].map(minutesWith)).toEqual([1440, 600, 1, 1440, 1440]);
  expect(retryTime({ failures: 4, retryAfterMs: DAY, notAfter: START + DAY, now: START }, FIRST)).toBe(
    START + DAY,
  );
});

test("a failure is never retried before the Retry-After, and not earlier because of one", () => {
  expect(minutes(1, FIRST, 30 * MINUTE)).toBe(30);
  expect(minutes(1, LAST, 30 * MINUTE)).toBeGreaterThan(30);
  expect(minutes(3, FIRST, 30 * MINUTE)).toBe(100);
  expect(minutes(4, FIRST, 7 * DAY)).toBe(7 * 1440);
});

test("the time of a renewal is rounded to the nearest millisecond, and that of a retry up", () => {
  const validity = { notBefore: START, notAfter: START + 90 * DAY };
  const at = (random: number) =>
    renewalTime({ validity, window: { start: START + 1, end: START + 2 }, now: START }, () => random);
  expect([at(0.4), at(0.6)]).toEqual([START + 1, START + 2]);
  expect(retryTime({ failures: 1, now: START }, () => 0.000_01)).toBe(START + MINUTE + 1);
});
