import { expect, test } from "bun:test";
import {
  type Certificate,
  expiryWarnings,
  isOverdue,
} from "../../../src/platform/certificates/certificate.ts";

const MINUTE = 60_000;
const WEEK = 7 * 24 * 60 * MINUTE;
const NOW = Date.UTC(2026, 10, 22);
const END = "2026-11-23T00:00:00.000Z";

const MONTHS = 13 * WEEK;

const ends = (count: number, notAfter = Date.parse(END), lifetime = MONTHS) =>
  Array.from({ length: count }, (_, index) => ({
    hostname: `n${index}.example.org`,
    notBefore: notAfter - lifetime,
    notAfter,
  }));

const names = (count: number) =>
  ends(count)
    .map(({ hostname }) => `${hostname} (${END})`)
    .join(", ");

test("certificates that end soon have less than a week left, expired or not", () => {
  expect(expiryWarnings(ends(1, NOW + WEEK), NOW)).toEqual([]);
  for (const notAfter of [NOW + WEEK - 1, NOW, NOW - WEEK])
    expect(expiryWarnings(ends(1, notAfter), NOW)).toMatchObject([{ count: 1 }]);
});

test("a six-day certificate ends soon once less than a quarter of it is left, because it is renewed with half left", () => {
  const lifetime = 160 * 60 * MINUTE;
  expect(expiryWarnings(ends(1, NOW + lifetime / 4, lifetime), NOW)).toEqual([]);
  expect(expiryWarnings(ends(1, NOW + lifetime / 4 - 1, lifetime), NOW)).toMatchObject([{ count: 1 }]);
});

test("certificates that end soon are named with their ends, in one warning", () => {
  const later = { hostname: "later.example.org", notBefore: NOW - MONTHS, notAfter: NOW + 2 * WEEK };
  expect(expiryWarnings([...ends(2), later], NOW)).toEqual([
    {
      code: "certificates_end_soon",
      count: 2,
      message: `Certificates end soon: ${names(2)}; see "adoption-store certificates list".`,
    },
  ]);
});

test("certificates that end soon are counted after the first ten", () => {
  const messageOf = (count: number) => expiryWarnings(ends(count), NOW)[0]?.message ?? "";
  expect(messageOf(10)).toContain(`${names(10)};`);
  expect(messageOf(11)).toContain(`${names(10)} and 1 more;`);
  expect(messageOf(15)).toContain(`${names(10)} and 5 more;`);
});

test("a name is overdue half an hour after it was added, unless it has a certificate", () => {
  const waiting = { createdAt: NOW, issued: undefined } as Certificate;
  expect(isOverdue(waiting, NOW + 30 * MINUTE - 1, false)).toBe(false);
  expect(isOverdue(waiting, NOW + 30 * MINUTE, false)).toBe(true);
  const issued = { createdAt: NOW, issued: {} } as Certificate;
  expect(isOverdue(issued, NOW + 60 * MINUTE, false)).toBe(false);
});
