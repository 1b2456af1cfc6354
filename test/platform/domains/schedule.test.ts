import { expect, test } from "bun:test";
import {
  LAPSE_MS,
  LONGEST_WAIT_MS,
  nextCheckAfterSilence,
  nextLiveCheck,
  nextWaitingCheck,
  jittered,
  WAITING_MS,
} from "../../../src/platform/domains/schedule.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SINCE = Date.UTC(2026, 10, 20);

test("a domain that waits is checked at 10, 20 and 40 s, at 1, 2, 5 and 10 minutes, then every 15, for 48 hours", () => {
  const times: number[] = [];
  let at: number | null = SINCE;
  while ((at = nextWaitingCheck(SINCE, at)) !== null) times.push((at - SINCE) / MINUTE);
  expect(times.slice(0, 10)).toEqual([10 / 60, 20 / 60, 40 / 60, 1, 2, 5, 10, 25, 40, 55]);
  expect(times.length).toBe(7 + 191);
  expect(times.at(-1)).toBe(48 * 60 - 5);
});

test.each([
  ["in between", 3 * MINUTE, 5 * MINUTE],
  ["on a check's own time", 5 * MINUTE, 10 * MINUTE],
  ["before the last of the first seven", 10 * MINUTE - 1, 10 * MINUTE],
  ["on the last of the first seven", 10 * MINUTE, 25 * MINUTE],
  ["after a long sleep", 20 * HOUR + MINUTE, 20 * HOUR + 10 * MINUTE],
  ["by a clock that was set back", -HOUR, MINUTE / 6],
])("%s the next check is the next of the plan, not a burst of those that were missed", (_, age, next) => {
  expect(nextWaitingCheck(SINCE, SINCE + age)).toBe(SINCE + next);
});

test("after 48 hours a domain is checked on request only", () => {
  expect(nextWaitingCheck(SINCE, SINCE + WAITING_MS)).toBeNull();
  expect(nextWaitingCheck(SINCE, SINCE + 365 * DAY)).toBeNull();
});

test("checks of a domain with silent servers double their interval: up to five minutes for two hours, then up to an hour", () => {
  const minutes: number[] = [];
  let checkedAt: number | null = null;
  let at: number | null = SINCE + MINUTE;
  for (let now = at; at !== null; now = at) {
    at = nextCheckAfterSilence(SINCE, checkedAt, now);
    checkedAt = now;
    if (at === null) break;
    minutes.push((at - SINCE) / MINUTE);
  }
  expect(minutes.slice(0, 5)).toEqual([3, 7, 12, 17, 22]);
  expect(minutes.slice(23, 31)).toEqual([117, 122, 132, 152, 192, 252, 312, 372]);
  expect(minutes.length).toBeLessThan(80);
  expect(minutes.at(-1)).toBeLessThan(49 * 60);
  // Whoever asks in between does not bring the plan forward.
  expect(nextCheckAfterSilence(SINCE, SINCE + 3 * HOUR, SINCE + 3 * HOUR)).toBe(SINCE + 190 * MINUTE);
  expect(nextCheckAfterSilence(SINCE, null, SINCE - HOUR)).toBe(SINCE - 55 * MINUTE);
  const before = SINCE + 5 * MINUTE - 1;
  expect(nextCheckAfterSilence(SINCE, before, before)).toBe(SINCE + 5 * MINUTE);
});

test("a live domain is checked once a day, and when it must be decided whether it is parked", () => {
  expect(nextLiveCheck(null, SINCE)).toBe(SINCE + DAY);
  expect(nextLiveCheck(SINCE, SINCE)).toBe(SINCE + DAY);
  expect(nextLiveCheck(SINCE, SINCE + 6.5 * DAY)).toBe(SINCE + LAPSE_MS);
  expect(nextLiveCheck(SINCE, SINCE + LAPSE_MS)).toBe(SINCE + LAPSE_MS + DAY);
});

test("every domain that waits has its next check within the longest wait", () => {
  expect(LONGEST_WAIT_MS).toBe(1.1 * HOUR);
  const next = nextCheckAfterSilence(SINCE, SINCE, SINCE + 20 * HOUR);
  expect(jittered(next, SINCE + 20 * HOUR, () => 1)).toBe(SINCE + 20 * HOUR + LONGEST_WAIT_MS);
});

test("checks are delayed by a tenth of the wait, and at most by half an hour", () => {
  expect(jittered(null, SINCE, () => 1)).toBeNull();
  expect(jittered(SINCE + MINUTE, SINCE, () => 0)).toBe(SINCE + MINUTE);
  expect(jittered(SINCE + MINUTE, SINCE, () => 1)).toBe(SINCE + 1.1 * MINUTE);
  expect(jittered(SINCE + DAY, SINCE, () => 1)).toBe(SINCE + DAY + 30 * MINUTE);
  expect(jittered(SINCE + 15, SINCE, () => 0.5)).toBe(SINCE + 16);
  expect(jittered(SINCE + 5, SINCE, () => 0.5)).toBe(SINCE + 5);
});
