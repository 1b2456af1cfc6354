import { expect, test } from "bun:test";
import fc from "fast-check";
import { Fault } from "../../src/lib/errors.ts";
import { parseYaml, writeYaml } from "../../src/http/yaml.ts";

const refusalOf = async (text: string): Promise<string> => {
  try {
    return `accepted: ${JSON.stringify(await parseYaml(text))}`;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.message;
  }
};

test.each([
  ["# c & d, a*b\na: 1", { a: 1 }],
  ["a: 1 # see *b", { a: 1 }],
  ["a: x & y\nb: a*b\nc: '*&<<'", { a: "x & y", b: "a*b", c: "*&<<" }],
  ["a: |\n  a: &b\n  a: *b\n", { a: "a: &b\na: *b\n" }],
  ["{a: {a: 1}, b: {a: 2}}", { a: { a: 1 }, b: { a: 2 } }],
  ["- a: 1\n- a: 2\n", [{ a: 1 }, { a: 2 }]],
  ["a:\n  a:\n    a: 1\n", { a: { a: { a: 1 } } }],
  ["[a: 1, a: 2]", [{ a: 1 }, { a: 2 }]],
  ["a: 1\r\nb: [2]\r\n", { a: 1, b: [2] }],
  ["", null],
])("%j is parsed", async (text, value) => {
  expect(await parseYaml(text)).toEqual(value as never);
});

test.each([
  ["{a: 1, a: 2}", "a"],
  ["{a: 1, 'a': 2}", "a"],
  ['{"\\u0061": 1, a: 2}', "a"],
  ["{a, a}", "a"],
  ["a: {b: {c: 1, c: 2}}", "c"],
  ["a: 1\nb: 2\n'a' : 3", "a"],
  ["- a: 1\n  a: 2", "a"],
  ["? a\n: 1\n? a\n: 2", "a"],
  ["- - {x: [{y: 1, y: 2}]}", "y"],
])("%j is refused, because a key appears twice", async (text, key) => {
  expect(await refusalOf(text)).toBe(`"${key}": appears twice in one mapping`);
});

test.each(["a: {b: 1}\n<<: {c: 2}", "{<<: {c: 2}}", "'<<': {c: 2}", "- <<: [{a: 1}]"])(
  "%j is refused, because it has a merge key",
  async (text) => {
    expect(await refusalOf(text)).toContain("merges are not supported");
  },
);

test.each([
  "a: &a 1",
  "&a a: 1",
  "- &a b",
  "{a: &a 1}",
  "{&a a: 1}",
  "[&a 1]",
  "--- &a\nb: 1",
  "a: *b",
  "*b : 1",
  "[*b]",
  "? &a b\n: 1",
])("%j is refused, because it has an anchor or an alias", async (text) => {
  expect(await refusalOf(text)).toContain("anchors and aliases are not supported");
});

test.each([
  ["nested lists", "[".repeat(60_000)],
  ["nested mappings", "{a: ".repeat(15_000)],
  ["nested block lists", "- ".repeat(30_000)],
  ["anchors", "&a ".repeat(20_000)],
])("many %s are refused", async (_, text) => {
  expect(await refusalOf(text)).toStartWith("The body is not valid YAML");
});

test.each(['{"\\q": 1}', '"\\q": 1', "{'a: 1", '{"a'])(
  "%j is refused, because it is malformed",
  async (text) => {
    expect(await refusalOf(text)).toStartWith("The body is not valid YAML");
  },
);

const PIECES = [
  ..."a|1|null|!!str |---\n|...|: |- |? |  ".split("|"),
  ..."\n\t\r\u0000\ud83d<:{}[],'\"\\&*#|>!%@ ",
];

test("100 redirects are parsed, and a body with too many parts is refused", async () => {
  const redirects = Array.from({ length: 100 }, (_, index) => ({
    from: `www${index}.example.org`,
    to: "docs.example.org",
    status: 301,
  }));
  const value = { domains: { primary: "docs.example.org", redirects } };
  expect(await parseYaml(writeYaml(value))).toEqual(value);
  for (const text of ["[".repeat(65_536), "- ".repeat(32_768), ": ".repeat(32_768), "\n- a".repeat(16_384)])
    expect(await refusalOf(text)).toContain("parts");
});

test("any text is either parsed or refused with a fault, never another error", async () => {
  const piece = fc.constantFrom(...PIECES);
  const text = fc.array(fc.oneof(piece, fc.string({ maxLength: 3 })), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(text, async (pieces) => {
      await refusalOf(pieces.join(""));
    }),
    { numRuns: 20_000 },
  );
});

test("a written value is parsed again unchanged", async () => {
  for (const value of [
    { "<": "&a", b: ["*", "#", "a: b"] },
    { primary: "docs.example.org", n: 301 },
  ])
    expect(await parseYaml(writeYaml(value))).toEqual(value);
});
