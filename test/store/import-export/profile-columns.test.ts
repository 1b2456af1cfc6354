import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Conventions,
  type ProfileColumn,
  PROFILE_COLUMNS,
} from "../../../src/store/import-export/profile-columns.ts";
import { normalize } from "../../../src/store/import-export/columns.ts";

const columns: Readonly<Record<string, ProfileColumn>> = PROFILE_COLUMNS;

const read = (column: string, text: string, conventions: Conventions = {}): unknown =>
  columns[column]?.read(text, conventions);

test.each([
  ["sex", "F", "female"],
  ["sex", "Neutered Male", "male"],
  ["sex", "Hermaphrodite", "Hermaphrodite"],
  ["size", "X-Large", "extra_large"],
  ["neutered", "Y", true],
  ["neutered", "unchecked", false],
  ["neutered", "Unknown", undefined],
  ["neutered", "maybe", "maybe"],
  ["goodWithCats", "Yes", "yes"],
  ["noDogs", "1", "no"],
  ["noDogs", "0", "yes"],
  ["noDogs", "unknown", "unknown"],
  ["breeds", "Labrador, Poodle", ["Labrador", "Poodle"]],
  ["breeds", '["Chihuahua, Long Coat"]', ["Chihuahua, Long Coat"]],
  ["colour", '"Black beauty"', '"Black beauty"'],
  ["weight", "12.4 kg", 12_400],
  ["weight", "27 lbs", 12_247],
  ["weight", "27", "27"],
  ["weightPounds", "27", 12_247],
  ["weightGrams", "4100", 4100],
  ["fee", "150.00 EUR", { amount: 15_000, currency: "EUR" }],
  ["fee", "$1,250", { amount: 125_000, currency: "USD" }],
  ["fee", "150,50 €", { amount: 15_050, currency: "EUR" }],
  ["fee", "9000 JPY", { amount: 9000, currency: "JPY" }],
  ["fee", "150", "150"],
  ["fee", "ask us", "ask us"],
  ["arrivedOn", "2026-3-2", "2026-03-02"],
  ["arrivedOn", "2026/03/02 10:15:00", "2026-03-02"],
  ["arrivedOn", "13.3.2026", "2026-03-13"],
  ["arrivedOn", "3/13/2026", "2026-03-13"],
  ["arrivedOn", "3/4/2026", "3/4/2026"],
  ["arrivedOn", "1772409600", "2026-03-02"],
  ["birthDate", "2024", "2024"],
  ["birthDate", "2024-05", "2024-05"],
  ["arrivedOn", "spring", "spring"],
])("a cell of %s with %p is %p", (column, text, value) => {
  expect(read(column, text)).toEqual(value);
});

test("a date that may be two days, and a fee without a currency, are read by the conventions of the file", () => {
  expect(read("arrivedOn", "3/4/2026", { dates: "dmy" })).toBe("2026-04-03");
  expect(read("arrivedOn", "3/4/2026", { dates: "mdy" })).toBe("2026-03-04");
  expect(read("arrivedOn", "13/4/2026", { dates: "mdy" })).toBe("2026-04-13");
  expect(read("fee", "150", { currency: "CHF" })).toEqual({ amount: 15_000, currency: "CHF" });
});

const letters = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: fc.constantFrom(...'a" \\[];,\n') }),
);
const line = letters.filter((text) => text !== "");

/** Any value of each kind of column that an export writes. */
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  sex: fc.constantFrom("female", "male", "unknown"),
  size: fc.constantFrom("small", "medium", "large", "extra_large"),
  neutered: fc.boolean(),
  goodWithDogs: fc.constantFrom("yes", "no", "unknown"),
  breeds: fc.uniqueArray(line, { minLength: 1, maxLength: 4 }),
  weightGrams: fc.integer({ min: 1, max: 2_000_000 }),
  fee: fc.record({
    amount: fc.integer({ min: 0, max: 1_000_000_000 }),
    currency: fc.constantFrom(...Intl.supportedValuesOf("currency")),
  }),
  arrivedOn: fc.constantFrom("2024-05-17", "1999-12-31"),
  birthDate: fc.constantFrom("2024", "2024-05", "2024-05-17"),
  description: line,
};

test.each(Object.keys(VALUES))("an exported cell of %s is read as the same value again", (column) => {
  fc.assert(
    fc.property(VALUES[column] as fc.Arbitrary<unknown>, (value) => {
      expect(read(column, columns[column]?.write?.(value).trim() ?? "")).toEqual(value);
    }),
  );
});

test("no header belongs to two columns", () => {
  const headers = Object.entries(columns).flatMap(([name, { synonyms }]) =>
    [name, ...synonyms].map(normalize),
  );
  expect(headers).toEqual([...new Set(headers)]);
});
