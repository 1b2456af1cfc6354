import { expect, test } from "bun:test";
import { parseInvalidFields } from "../../src/client/invalid-fields.ts";

test.each([
  ['"name";rule=required', [{ name: "name", rule: "required" }]],
  [
    '"a";rule=too_long;max=200,\t"b"; rule=minimum;min=-1',
    [
      { name: "a", rule: "too_long", max: 200 },
      { name: "b", rule: "minimum", min: -1 },
    ],
  ],
  [String.raw`"a\"\\b";rule=unknown`, [{ name: 'a"\\b', rule: "unknown" }]],
  ['"";rule=type', [{ name: "", rule: "type" }]],
  ['"h";rule=format;reason=wildcard', [{ name: "h", rule: "format", reason: "wildcard" }]],
  // A parameter of a later version.
  ['"h";rule=format;since=2', [{ name: "h", rule: "format" }]],
])("%s is read", (header, problems) => {
  expect(parseInvalidFields(header)).toEqual(problems);
});

test.each([
  [null],
  [""],
  ["name;rule=required"],
  ['"name"'],
  ['"name";rule=5'],
  ['"name";rule="required"'],
  ['"name";rule=required,'],
  ['"name";rule=required, '],
  ['"name";rule=required "b";rule=format'],
  ['"name" ;rule=required'],
  ['"name";rule=required;max=1234567890123456'],
  ['"name";rule=required;max=1.5'],
  [String.raw`"na\me";rule=required`],
  ['"naïve";rule=required'],
  ['"name;rule=required'],
  ['("name";rule=required)'],
])("the malformed header %p is ignored as a whole", (header) => {
  expect(parseInvalidFields(header)).toEqual([]);
});

test("a header that is longer than any of the service is ignored", () => {
  expect(parseInvalidFields(`"${"x".repeat(9000)}";rule=unknown`)).toEqual([]);
});

test("a long malformed header is refused in linear time", () => {
  const start = performance.now();
  parseInvalidFields(`"a"${";rule=a".repeat(1100)}"`);
  parseInvalidFields('"\\"'.repeat(2700));
  expect(performance.now() - start).toBeLessThan(100);
});
