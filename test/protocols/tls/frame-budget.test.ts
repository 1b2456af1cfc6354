import { expect, test } from "bun:test";
import { frameBudget } from "../../../src/protocols/tls/frame-budget.ts";
import type { FrameHeader } from "../../../src/protocols/tls/frames.ts";

const frame = (type: number, length = 0, flags = 0): FrameHeader => ({ type, length, flags, stream: 1 });

/** The most frames at a time, and the most that downloads and requests earn. */
const MAX_ALLOWANCE = 1000;
const MAX_CREDIT = 4096;

const HEADERS = frame(1, 30, 4);
const RESET = frame(3, 4);
const UPDATE = frame(8, 4);

/** A budget on a clock that a test moves. */
const budgetAt = () => {
  let now = 0;
  const budget = frameBudget(() => now);
  return {
    ...budget,
    pass: (ms: number) => void (now += ms),
    spendTimes(times: number, ...frames: FrameHeader[]) {
      for (let at = 0; at < times; at += 1) for (const one of frames) budget.spend(one);
      return budget.isExceeded();
    },
  };
};

test.each<[string, FrameHeader]>([
  ["empty DATA", frame(0)],
  ["DATA of one byte", frame(0, 1)],
  ["DATA of padding", frame(0, 256, 8)],
  ["PRIORITY", frame(2, 5)],
  ["RST_STREAM", RESET],
  ["SETTINGS", frame(4)],
  ["PUSH_PROMISE", frame(5, 4)],
  ["PING", frame(6, 8)],
  ["GOAWAY", frame(7, 8)],
  ["WINDOW_UPDATE", UPDATE],
  ["CONTINUATION", frame(9)],
  ["a frame of an unknown type", frame(0xbb)],
])("%s beyond the allowance exceeds the budget", (_name, one) => {
  const { spendTimes } = budgetAt();
  expect(spendTimes(MAX_ALLOWANCE, one)).toBe(false);
  expect(spendTimes(1, one)).toBe(true);
});

test.each<[string, FrameHeader]>([
  ["of a request", HEADERS],
  ["of a body", frame(0, 16)],
  ["of a body with padding", frame(0, 512, 8)],
])("frames %s are free", (_name, one) => {
  expect(budgetAt().spendTimes(100_000, one)).toBe(false);
});

test("the allowance grows back with time, up to its maximum", () => {
  const { spendTimes, pass } = budgetAt();
  spendTimes(MAX_ALLOWANCE, RESET);
  pass(10);
  expect(spendTimes(2, RESET)).toBe(false);
  pass(1e9);
  expect(spendTimes(MAX_ALLOWANCE, RESET)).toBe(false);
  expect(spendTimes(1, RESET)).toBe(true);
});

test("each request may have an empty DATA frame at its end, and three more frames", () => {
  const { spendTimes } = budgetAt();
  expect(spendTimes(10_000, HEADERS, frame(0, 0, 1), UPDATE, UPDATE, frame(0x10, 8))).toBe(false);
});

test.each<[string, FrameHeader]>([
  ["resets", RESET],
  ["pings", frame(6, 8)],
  ["continuations", frame(9)],
])("requests do not earn %s", (_name, one) => {
  expect(budgetAt().spendTimes(MAX_ALLOWANCE + 1, HEADERS, one)).toBe(true);
});

test("a download of any length may acknowledge each DATA frame twice", () => {
  const { spendTimes, earn } = budgetAt();
  for (let frames = 0; frames < 10_000; frames += 1) {
    earn(9 + 16_384);
    expect(spendTimes(1, UPDATE, UPDATE)).toBe(false);
  }
});

test("a long download does not pay for a flood after it", () => {
  const { spendTimes, earn } = budgetAt();
  earn(1e12);
  expect(spendTimes(MAX_CREDIT + MAX_ALLOWANCE, UPDATE)).toBe(false);
  expect(spendTimes(1, UPDATE)).toBe(true);
});

test.each<[string, FrameHeader, boolean]>([
  ["15 bytes is", frame(0, 15), true],
  ["16 bytes is not", frame(0, 16), false],
  ["271 bytes with padding is", frame(0, 271, 8), true],
  ["272 bytes with padding is not", frame(0, 272, 8), false],
])("DATA of %s counted as empty", (_name, one, isCounted) => {
  expect(budgetAt().spendTimes(MAX_ALLOWANCE + 1, one)).toBe(isCounted);
});

test("frames other than DATA cost credit, regardless of their length", () => {
  expect(budgetAt().spendTimes(MAX_ALLOWANCE + 1, frame(8, 1000))).toBe(true);
});

test("a request earns four frames, and no fifth", () => {
  const { spendTimes } = budgetAt();
  expect(spendTimes(MAX_ALLOWANCE, HEADERS, UPDATE, UPDATE, UPDATE, UPDATE)).toBe(false);
  expect(spendTimes(MAX_ALLOWANCE, HEADERS, UPDATE, UPDATE, UPDATE, UPDATE, UPDATE)).toBe(false);
  expect(spendTimes(1, UPDATE)).toBe(true);
});

test("64 sent bytes earn a frame", () => {
  const { spendTimes, earn } = budgetAt();
  earn(63);
  earn(1);
  expect(spendTimes(1 + MAX_ALLOWANCE, UPDATE)).toBe(false);
  expect(spendTimes(1, UPDATE)).toBe(true);
  const other = budgetAt();
  other.earn(63);
  expect(other.spendTimes(1 + MAX_ALLOWANCE, UPDATE)).toBe(true);
});

test("a continuing flood gets 200 frames a second through", () => {
  const { spendTimes, pass } = budgetAt();
  expect(spendTimes(MAX_ALLOWANCE, RESET)).toBe(false);
  for (let tick = 0; tick < 100; tick += 1) {
    pass(5);
    expect(spendTimes(1, RESET)).toBe(false);
  }
  pass(4);
  expect(spendTimes(1, RESET)).toBe(true);
});

test("an idle connection gets its allowance back once, regardless of how long it was idle", () => {
  const { spendTimes, pass } = budgetAt();
  pass(1e9);
  expect(spendTimes(MAX_ALLOWANCE, RESET)).toBe(false);
  expect(spendTimes(1, RESET)).toBe(true);
});
