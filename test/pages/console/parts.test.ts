import { describe, expect, test } from "bun:test";
import {
  problemAt,
  problemsOf,
  relative,
  shortRelative,
  shownOf,
  wordsFor,
} from "../../../src/pages/console/ui/parts/wording.ts";
import { idOf } from "../../../src/pages/console/ui/parts/address.ts";
import { ApiError } from "../../../src/client/api-error.ts";
import { ERRORS } from "../../../src/pages/console/ui/api/client.ts";
import { FAULTS } from "../../../src/lib/errors.ts";
import { FIELD_RULES } from "../../../src/lib/field-problems.ts";

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

test.each([
  ["1", 1],
  ["120", 120],
])("%p names the id %p", (part, id) => {
  expect(idOf(part)).toBe(id);
});

test.each([undefined, "", "0", "01", "-1", "1.5", "abc", "new", "9".repeat(16)])("%p names no id", (part) => {
  expect(idOf(part)).toBeUndefined();
});

const NAME = {
  missing: "Enter a name.",
  otherwise: "Enter a valid name.",
  rules: { taken: "Choose another." },
};

/** Their messages name a limit, a scope, a state or a reason, or the console never meets them. */
const KEPT = [
  "already_imported",
  "choice_in_use",
  "confirmation_required",
  "damaged_file",
  "deploy_failed",
  "domain_limit_reached",
  "domain_taken",
  "field_limit_reached",
  "field_name_taken",
  "https_required",
  "import_refused",
  "import_running",
  "invalid_archive",
  "invalid_image",
  "invalid_request",
  "last_admin_key",
  "method_not_allowed",
  "misdirected",
  "missing_api_key",
  "not_found",
  "not_ready",
  "order_status_conflict",
  "payload_too_large",
  "pet_in_order",
  "pet_not_available",
  "photo_limit_reached",
  "quota_exceeded",
  "reference_taken",
  "request_timeout",
  "undo_refused",
  "unsupported_media_type",
];

describe("a field says", () => {
  test.each([
    [{ rule: "required" }, "Enter a name."],
    [{ rule: "blank" }, "Enter a name."],
    [{ rule: "too_short", min: 1 }, "Enter a name."],
    [{ rule: "too_long", max: 200 }, "Use at most 200 characters."],
    [{ rule: "format" }, "Enter a valid name."],
    [{ rule: "taken" }, "Choose another."],
    // A rule of a later version.
    [{ rule: "rhymes" }, "Enter a valid name."],
  ])("%p in the words of its form", (problem, words) => {
    expect(wordsFor({ name: "name", ...problem }, NAME)).toBe(words);
  });

  test.each(Object.keys(FIELD_RULES))("%s in a separate sentence if its form has no words", (rule) => {
    expect(wordsFor({ name: "name", rule })).toMatch(/^[A-Z][^_]+\.$/);
  });

  test("an invisible character, also if its form has words for other rules", () => {
    expect(wordsFor({ name: "name", rule: "format", reason: "invisible" }, NAME)).toStartWith(
      "This contains an invisible character.",
    );
  });

  test("a limit", () => {
    expect(wordsFor({ name: "n", rule: "minimum", min: 1 })).toBe("Enter 1 or more.");
    expect(wordsFor({ name: "n", rule: "maximum", max: 9 })).toBe("Enter 9 or less.");
    expect(wordsFor({ name: "n", rule: "too_short", min: 3 })).toBe("Use at least 3 characters.");
  });

  test("the reason before the rule", () => {
    const words = { rules: { format: "Enter a domain.", wildcard: "Add each name by itself." } };
    expect(wordsFor({ name: "hostname", rule: "format", reason: "wildcard" }, words)).toBe(
      "Add each name by itself.",
    );
    expect(wordsFor({ name: "hostname", rule: "format", reason: "other" }, words)).toBe("Enter a domain.");
  });
});

describe("a field shows", () => {
  const problems = [
    { name: "scopes.0", rule: "not_one_of" },
    { name: "nameless", rule: "unknown" },
    { name: "adopter.email", rule: "format" },
  ];

  test("the problem of a value inside it", () => {
    expect(problemAt(problems, "scopes")?.rule).toBe("not_one_of");
    expect(problemAt(problems, "adopter.email")?.rule).toBe("format");
  });

  test("no problem of a field whose name begins like its own", () => {
    expect(problemAt(problems, "name")).toBeUndefined();
  });

  test("nothing for an error that is not of the API", () => {
    expect(problemsOf(new Error("name: must be a string"))).toEqual([]);
    expect(problemsOf(null)).toEqual([]);
    expect(problemsOf(new ApiError(400, "invalid_request", "", { fields: problems }))).toBe(problems);
  });
});

describe("an error about no field", () => {
  test("has words for people", () => {
    for (const words of Object.values(ERRORS)) expect(words).toMatch(/^[A-Z].+\.$/);
  });

  test("has a code of the catalogue, or is of the client itself", () => {
    expect(Object.keys(ERRORS).filter((code) => !(code in FAULTS))).toEqual(["unreachable", "unreadable"]);
  });

  test("keeps the API's message if it says more", () => {
    expect(
      Object.keys(FAULTS)
        .filter((code) => !(code in ERRORS))
        .toSorted(),
    ).toEqual(KEPT);
  });
});
