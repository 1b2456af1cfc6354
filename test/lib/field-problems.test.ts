import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseInvalidFields } from "../../src/client/invalid-fields.ts";
import { character } from "../support/characters.ts";
import { FIELD_RULES, type FieldRule, invalidFields } from "../../src/lib/field-problems.ts";

const RULES = Object.keys(FIELD_RULES) as FieldRule[];

test("the header is a list of strings with parameters", () => {
  expect(
    invalidFields([
      { field: "name", rule: "too_long", max: 200 },
      { field: "adopter.email", rule: "format" },
      { field: "hostname", rule: "format", reason: "wildcard" },
    ]),
  ).toBe('"name";rule=too_long;max=200, "adopter.email";rule=format, "hostname";rule=format;reason=wildcard');
});

test("every rule is a token that the client reads", () => {
  for (const rule of RULES)
    expect(parseInvalidFields(invalidFields([{ field: "name", rule }]))).toEqual([{ name: "name", rule }]);
});

test("a limit of more than 15 digits is omitted, because an integer of RFC 9651 has none", () => {
  expect(invalidFields([{ field: "petId", rule: "maximum", max: Number.MAX_SAFE_INTEGER }])).toBe(
    '"petId";rule=maximum',
  );
});

test("a name that a client invented is escaped and cut after 64 characters", () => {
  expect(invalidFields([{ field: 'a"b\\c\r\nX: é', rule: "unknown" }])).toBe(
    String.raw`"a\"b\\c\\u000d\\u000aX: \\u00e9";rule=unknown`,
  );
  expect(invalidFields([{ field: "x".repeat(65), rule: "unknown" }])).toBe(
    `"${"x".repeat(64)}";rule=unknown`,
  );
});

test("a name that a client invented neither breaks the header nor makes it longer than 1024 characters", () => {
  const problem = fc.record({
    field: fc.string({ unit: character, maxLength: 100 }),
    rule: fc.constantFrom(...RULES),
    max: fc.option(fc.integer(), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(problem, { maxLength: 40 }), (problems) => {
      const header = invalidFields(problems);
      expect(header).toMatch(/^[\x20-\x7e]{0,1024}$/);
      const read = parseInvalidFields(header);
      const whole = problems.slice(0, read.length);
      expect(read.map(({ rule, max }) => [rule, max])).toEqual(whole.map(({ rule, max }) => [rule, max]));
      const isPlain = (text: string) => /^[\x20-\x7e]{0,64}$/.test(text);
      for (const [at, { field }] of whole.entries()) if (isPlain(field)) expect(read[at]?.name).toBe(field);
      expect(read.length > 0).toBe(problems.length > 0);
    }),
  );
});
