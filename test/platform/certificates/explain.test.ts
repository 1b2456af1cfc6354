import { expect, test } from "bun:test";
import type { Certificate } from "../../../src/platform/certificates/certificate.ts";
import {
  describeAttempt,
  explain,
  explanations,
  summaryOf,
} from "../../../src/platform/certificates/summary.ts";

const NOW = Date.UTC(2026, 10, 20);
const MINUTE = 60_000;

const waiting = (more: Partial<Certificate> = {}): Certificate => ({
  hostname: "docs.example.org",
  createdAt: NOW - MINUTE,
  nextAt: NOW + MINUTE,
  isRequested: false,
  attemptSince: null,
  revision: 0,
  failures: 0,
  problem: undefined,
  issued: undefined,
  order: undefined,
  keyAuthorization: null,
  ...more,
});

const problem = (type: string, detail: string) => ({ type, detail, subproblems: [] });

test("a name that is not late has no explanation", () => {
  expect(explain(waiting(), NOW, false)).toBeUndefined();
});

test("a wait for a limit is explained together with the refusal that is still to be corrected", () => {
  const cause = problem("connection", "Timeout during connect");
  const limited = waiting({ problem: { ...problem("budget", "5 are allowed."), cause } });
  expect(explain(limited, NOW, false)).toBe(
    "docs.example.org: it has no certificate. 5 are allowed. The CA's last refusal: Timeout during connect. The CA could not reach the name. Forward its port 80 to HTTP_PORT and its port 443 to HTTPS_PORT. Attempts alternate between them. The next attempt is at 2026-11-20T00:01:00.000Z.",
  );
});

test.each([
  ["waits for a limit", "budget", "wanted"],
  ["waits for the CA's decision", "undecided", "wanted"],
])("a name that only %s has not failed", (_, type, status) => {
  const name = waiting({ problem: problem(type, "50 are allowed.") });
  expect(explain(name, NOW, false)).toBeUndefined();
  expect(summaryOf(name, NOW, false)).toMatchObject({ status, failures: 0, problem: { type } });
});

test("a name that waits for a limit is not overdue after 30 minutes", () => {
  const name = waiting({ createdAt: NOW - 30 * MINUTE, problem: problem("budget", "50 are allowed.") });
  expect(explain(name, NOW, false)).toBeUndefined();
  expect(summaryOf(name, NOW, false)).toMatchObject({ status: "wanted" });
});

test("a name without a certificate after 30 minutes is named", () => {
  expect(explain(waiting({ createdAt: NOW - 30 * MINUTE }), NOW, false)).toContain("after 30 minutes");
});

test("an overdue name is explained with the last message of its CA", () => {
  const undecided = problem("undecided", "The CA has not decided after 2 minutes.");
  const late = waiting({ createdAt: NOW - 30 * MINUTE, problem: undecided });
  expect(explain(late, NOW, false)).toBe(
    "docs.example.org: it has no certificate after 30 minutes. The CA has not decided after 2 minutes. The next attempt is at 2026-11-20T00:01:00.000Z.",
  );
});

test("at most ten explanations are given, then the number of the others", () => {
  const faulty = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      waiting({ hostname: `n${index}.example.org`, problem: problem("caa", "CAA forbids it.") }),
    );
  expect(explanations(faulty(10), NOW, new Map())).toHaveLength(10);
  const [first, ...others] = explanations(faulty(12), NOW, new Map());
  expect(first).toStartWith("n0.example.org: it has no certificate. CAA forbids it.");
  expect(others).toHaveLength(10);
  expect(others.at(-1)).toBe("And 2 more names: see adoption-store certificates list.");
});

test("only names outside the queue are explained when none was attempted", () => {
  const late = (hostname: string) => waiting({ hostname, createdAt: NOW - 30 * MINUTE });
  const place = { position: 1, estimatedAt: "2026-11-20T01:00:00.000Z" };
  const all = [late("queued.example.org"), late("ignored.example.org")];
  expect(explanations(all, NOW, new Map([["queued.example.org", place]]))).toEqual([
    expect.stringMatching(/^ignored\.example\.org: it has no certificate after 30 minutes/),
  ]);
});

const order = { ca: "https://ca.test/directory", url: null, key: "" };

test("an order under way is described with its start and its CA", () => {
  expect(describeAttempt(waiting())).toBeUndefined();
  expect(describeAttempt(waiting({ nextAt: 0, isRequested: true }))).toBeUndefined();
  expect(describeAttempt(waiting({ nextAt: 0, attemptSince: NOW, order }))).toBe(
    "an order is under way with https://ca.test/directory since 2026-11-20T00:00:00.000Z",
  );
  expect(describeAttempt(waiting({ nextAt: 0, attemptSince: NOW }))).toBe(
    "its order is prepared since 2026-11-20T00:00:00.000Z",
  );
});

test("an earlier failure or a delay is described together with the order under way", () => {
  const since = "an order is under way with https://ca.test/directory since 2026-11-20T00:00:00.000Z";
  const late = waiting({ createdAt: 0, nextAt: 0, attemptSince: NOW - 30 * MINUTE, order });
  expect(explain(late, NOW, false)).toBe(
    "docs.example.org: it has no certificate after 30 minutes; an order is under way with https://ca.test/directory since 2026-11-19T23:30:00.000Z.",
  );
  const again = waiting({ nextAt: 0, attemptSince: NOW, order, problem: problem("caa", "CAA forbids it.") });
  expect(explain(again, NOW, false)).toEndWith(`allow the CA. Now ${since}.`);
});

test("the advice for a platform that is not ready names no command, because doctor prints it", () => {
  const unready = waiting({
    problem: problem("platform_unready", "Its target has no address."),
    nextAt: null,
  });
  expect(explain(unready, NOW, false)).toBe(
    "docs.example.org: it has no certificate. Its target has no address. Correct the wildcard records, the CAA records and the forwarded ports of this service first.",
  );
});

test("a CA's problem comes with advice and the time of the next attempt", () => {
  const said = explain(waiting({ problem: problem("caa", "CAA forbids it.") }), NOW, false);
  expect(said).toBe(
    "docs.example.org: it has no certificate. CAA forbids it. Change the domain's CAA records so that they allow the CA. The next attempt is at 2026-11-20T00:01:00.000Z.",
  );
});

test("a problem without a period ends before the advice begins, and an unreachable CA names DNS", () => {
  const detail = "https://ca.test: DNS does not respond, so its name does not resolve";
  expect(explain(waiting({ problem: problem("unreachable", detail) }), NOW, false)).toStartWith(
    "docs.example.org: it has no certificate. https://ca.test: DNS does not respond, so its name does not resolve. The CA cannot be reached. Check this machine's DNS",
  );
});

test("a certificate that could not be renewed is described as in use, with its end", () => {
  const issued = { key: "", chain: "", ca: null, notBefore: 0, notAfter: NOW + MINUTE, ariId: null };
  const said = explain(waiting({ issued, problem: problem("unreachable", "No answer.") }), NOW, false);
  expect(said).toStartWith("docs.example.org: its certificate ends 2026-11-20T00:01:00.000Z");
});

const DAY = 24 * 60 * MINUTE;

test.each([
  ["budget", -DAY, true],
  ["budget", DAY, true],
  ["undecided", DAY, true],
  ["budget", 30 * DAY, false],
  ["undecided", 30 * DAY, false],
  ["caa", 30 * DAY, true],
])("a renewal with the problem %s is explained %d ms before the end: %p", (type, leftMs, isExplained) => {
  const notAfter = NOW + leftMs;
  const issued = { key: "", chain: "", ca: null, notBefore: notAfter - 90 * DAY, notAfter, ariId: null };
  const said = explain(waiting({ issued, problem: problem(type, "It is not renewed.") }), NOW, false);
  expect(said !== undefined).toBe(isExplained);
  if (isExplained) expect(said).toContain("could not be renewed. It is not renewed.");
});
