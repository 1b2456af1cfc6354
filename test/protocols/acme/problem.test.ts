import { expect, test } from "bun:test";
import {
  AcmeProblem,
  printable,
  problemOf,
  readProblem,
  readRetryAfter,
} from "../../../src/protocols/acme/problem.ts";

const URN = "urn:ietf:params:acme:error:";

test("a problem document is read with all its fields", () => {
  const value = {
    type: `${URN}compound`,
    detail: "Several names were refused",
    title: "Refused",
    subproblems: [
      { type: `${URN}caa`, detail: "CAA forbids", identifier: { type: "dns", value: "a.test" } },
      { type: "https://ca.test/odd", detail: "odd" },
    ],
  };
  expect(readProblem(value, { status: 403, retryAfterMs: 5000 })).toEqual({
    type: "compound",
    detail: "Several names were refused",
    subproblems: [
      { type: "caa", detail: "CAA forbids", identifier: "a.test" },
      { type: "https://ca.test/odd", detail: "odd" },
    ],
    status: 403,
    retryAfterMs: 5000,
  });
});

test("a problem document has its title as the detail if it has none", () => {
  expect(readProblem({ title: "Refused" }).detail).toBe("Refused");
  expect(readProblem({ title: "Refused", detail: "  " }).detail).toBe("Refused");
});

test.each<[unknown]>([
  [undefined],
  [null],
  ["text"],
  [7],
  [[]],
  [[{ type: `${URN}caa` }]],
  [Object.assign([], { type: `${URN}caa` })],
  [{}],
  [{ detail: 7, type: 7, subproblems: {} }],
])("in case %#, a problem document without any field is still a problem: %j", (value) => {
  expect(readProblem(value)).toStrictEqual({
    type: "unexplained",
    detail: "no reason was given",
    subproblems: [],
  });
});

test.each([
  [400, "unexplained"],
  [429, "rateLimited"],
  [499, "unexplained"],
  [500, "serverInternal"],
  [503, "serverInternal"],
])("a problem document of status %d without a type is %s", (status, type) => {
  expect(readProblem({ type: "about:blank" }, { status })).toEqual({
    type,
    detail: `status ${status} without a reason`,
    subproblems: [],
    status,
  });
});

test("a problem document with status 0 and a Retry-After of 0 keeps both", () => {
  expect(readProblem({ detail: "x" }, { status: 0, retryAfterMs: 0 })).toMatchObject({
    status: 0,
    retryAfterMs: 0,
  });
});

test("a problem document has a subproblem for any value in the list", () => {
  const subproblems = [
    null,
    {},
    { identifier: "a.test" },
    { identifier: { value: 7 } },
    { identifier: { value: "" } },
  ];
  expect(readProblem({ subproblems }).subproblems).toEqual(
    subproblems.map(() => ({ type: "unexplained", detail: "" })),
  );
});

test.each([
  [{ type: "https://ca.example/errors/busy" }, "https://ca.example/errors/busy"],
  [{ type: "about:blank" }, "unexplained"],
])("the problem document %j has the type %s", (value, type) => {
  expect(readProblem(value).type).toBe(type);
});

test("a problem document has at most 100 subproblems", () => {
  const subproblems = Array.from({ length: 101 }, (_, index) => ({ detail: String(index) }));
  const read = readProblem({ subproblems }).subproblems;
  expect([read.length, read.at(-1)?.detail]).toEqual([100, "99"]);
});

test("a problem document has all texts escaped and truncated", () => {
  const evil = `\u001b[2J${"x".repeat(2000)}`;
  const { type, detail, subproblems } = readProblem({
    type: evil,
    detail: evil,
    subproblems: [{ type: evil, detail: evil, identifier: { value: evil } }],
  });
  for (const text of [type, detail, ...subproblems.flatMap((one) => Object.values(one) as string[])]) {
    expect(text).toStartWith(String.raw`\u001b[2J`);
    expect(text).toHaveLength(1000);
  }
});

test("a text is trimmed, and has at most 1,000 characters", () => {
  expect(printable(`  ${"x".repeat(1000)}  `)).toBe("x".repeat(1000));
  expect(printable("x".repeat(1001))).toBe(`${"x".repeat(997)}...`);
});

test("a thrown problem is an error with its type and detail in the message", () => {
  const problem = new AcmeProblem({ type: "caa", detail: "CAA forbids" });
  expect(problem).toBeInstanceOf(Error);
  expect([problem.name, problem.message]).toEqual(["AcmeProblem", "caa: CAA forbids"]);
  expect(problem.subproblems).toEqual([]);
});

test("a thrown problem becomes data with its own fields and nothing else", () => {
  const bare = problemOf(new AcmeProblem({ type: "caa", detail: "CAA forbids" }));
  expect(Object.entries(bare)).toEqual([
    ["type", "caa"],
    ["detail", "CAA forbids"],
    ["subproblems", []],
  ]);
  const subproblems = [{ type: "dns", detail: "no answer" }];
  const full = { type: "caa", detail: "x", status: 0, subproblems, retryAfterMs: 0 };
  expect(problemOf(new AcmeProblem(full))).toEqual(full);
});

const NOW = Date.UTC(2026, 10, 22, 12);

test.each([
  ["0", 0],
  ["120", 120_000],
  [" 7 ", 7000],
  ["999999999", 999_999_999_000],
  ["Sun, 22 Nov 2026 12:00:30 GMT", 30_000],
  ["Sunday, 22-Nov-26 12:00:30 GMT", 30_000],
  ["Sun Nov 22 12:00:30 2026 GMT", 30_000],
  ["Sun, 22 Nov 2026 11:59:59 GMT", 0],
  ["Wednesday, 25-Nov-26 12:00:00 GMT", 3 * 86_400_000],
  ["2026", 2_026_000],
])("the Retry-After %j is read", (value, ms) => {
  expect(readRetryAfter(value, NOW)).toBe(ms);
});

test.each([
  null,
  "",
  "-1",
  "1.5",
  "soon",
  "1000000000",
  "2026-11-22",
  "x7",
  "7x",
  "Sun, soon",
  "in Sun, 22 Nov 2026 12:00:30 GMT",
  "sun, 22 Nov 2026 12:00:30 GMT",
  "Su, 22 Nov 2026 12:00:30 GMT",
  "Wednesdayy, 25-Nov-26 12:00:00 GMT",
  "S, 22 Nov 2026 12:00:30 GMT",
])("the Retry-After %j is neither seconds nor a date", (value) => {
  expect(readRetryAfter(value, NOW)).toBeUndefined();
});
