import { expect, test } from "bun:test";
import { relative, shortRelative, shownOf } from "../../../src/pages/console/ui/parts/wording.ts";

const DAY = 86_400;

test.each([
  [3, 3, false, "3 animals"],
  [1, undefined, false, "1 animal"],
  // One of those that are shown was changed so that it is not counted.
  [2, 1, false, "2 animals"],
  [100, 1234, true, "100 of 1,234 animals shown"],
  [100, undefined, true, "100 animals shown"],
])("%d of %p, more %p: %s", (shown, all, hasMore, words) => {
  expect(shownOf(shown, all, hasMore, "animal")).toBe(words);
});

test.each([
  [-59, "just now"],
  [-119, "1 minute ago"],
  [-2 * DAY + 1, "yesterday"],
  [30, "in a moment"],
  [7 * DAY - 60, "in 7 days"],
  [DAY - 60, "in 24 hours"],
  [DAY + 60, "tomorrow"],
])("%d seconds from now is: %s", (seconds, words) => {
  expect(relative(seconds)).toBe(words);
});

test.each([
  [-59, "just now"],
  [-13 * 60, "13 min ago"],
  [-5 * 3600, "5 hr ago"],
  [-DAY, "1 day ago"],
  [-29 * DAY, "29 days ago"],
  [-90 * DAY, "3 mo ago"],
  [-400 * DAY, "1 yr ago"],
  [7 * DAY, "in 7 days"],
])("%d seconds from now is short in a table: %s", (seconds, words) => {
  expect(shortRelative(seconds)).toBe(words);
});
