import { describe, expect, test } from "bun:test";
import {
  type CustomField,
  MEMBERS,
  type Profile,
  ageOf,
  chosenFacts,
  daysSince,
  factOf,
  factsWith,
  membersWith,
  profileChangeOf,
  profileDraftOf,
  profileWords,
  summaryOf,
  toggleFact,
} from "../../../src/pages/console/ui/animals/profile.ts";
import { wordsFor } from "../../../src/pages/console/ui/parts/wording.ts";

const TIMES = { createdAt: "2026-10-02T09:00:00.000Z", updatedAt: "2026-10-03T09:00:00.000Z" };
const NOW = new Date(2026, 10, 29, 23, 30);

const FIELDS: readonly CustomField[] = [
  {
    id: 3,
    name: "coat",
    label: "Coat",
    kind: "choice",
    choices: ["long", "short"],
    public: true,
    position: 0,
  },
  { id: 4, name: "walks", label: "Walks a day", kind: "number", public: false, position: 1 },
  { id: 5, name: "trained", label: "House-trained", kind: "boolean", public: true, position: 2 },
];

describe("an age", () => {
  test.each([
    [{ birthDate: "2026-11-29" }, "0 weeks"],
    [{ birthDate: "2026-09-10" }, "11 weeks"],
    [{ birthDate: "2026-07-30" }, "3 months"],
    [{ birthDate: "2024-11-30" }, "23 months"],
    [{ birthDate: "2024-11-29" }, "2 years"],
    [{ birthDate: "2024-05" }, "2 years"],
    [{ birthDate: "2026-09" }, "2 months"],
    [{ birthDate: "2024-05", birthDateEstimated: true }, "about 2 years"],
    [{ birthDate: "2021" }, "about 5 years"],
    [{ birthDate: "2026" }, "under a year"],
    [{ birthDate: "2026-12-01" }, undefined],
    [{ birthDate: "2027" }, undefined],
    [{}, undefined],
  ])("of %j is %s", (profile, age) => {
    expect(ageOf(profile, NOW)).toBe(age);
  });
});

test("days at the shelter are those of the user's calendar", () => {
  expect(daysSince("2026-11-29", NOW)).toBe(0);
  expect(daysSince("2026-10-02", NOW)).toBe(58);
  expect(daysSince("2026-12-01", NOW)).toBe(-2);
});

describe("the facts of an animal", () => {
  const wordsOf = (profile: Partial<Profile>, isHere = true) =>
    factsWith(FIELDS).flatMap((member) => {
      const words = factOf({ ...TIMES, ...profile }, member, { isHere, now: NOW });
      return words === "" ? [] : `${member.label}: ${words}`;
    });

  test("without a profile are none", () => {
    expect(wordsOf({})).toEqual([]);
  });

  test.each([
    [{ sex: "female" }, "Sex: Female"],
    [{ neutered: false }, "Neutered: No"],
    [{ birthDate: "2024-05", birthDateEstimated: true }, "Born: May 2024, estimated (about 2 years)"],
    [{ birthDate: "2027" }, "Born: 2027"],
    [{ breeds: ["Beagle", "Boxer"] }, "Breed: Beagle, Boxer"],
    [{ size: "extra_large" }, "Size: Extra large"],
    [{ weightGrams: 3800 }, "Weight: 3.8 kg"],
    [{ goodWith: { dogs: "unknown" } }, "Good with dogs: Not tried"],
    [{ fee: { amount: 12_000, currency: "EUR" } }, "Fee: €120"],
    [{ fee: { amount: 9950, currency: "EUR" } }, "Fee: €99.50"],
    [{ fee: { amount: 12_000, currency: "JPY" } }, "Fee: ¥12,000"],
    [{ arrivedOn: "2026-10-02" }, "Arrived: 2 October 2026 (58 days here)"],
    [{ arrivedOn: "2026-12-02" }, "Arrived: 2 December 2026"],
    [{ custom: { coat: "long" } }, "Coat: long"],
    [{ custom: { walks: 0 } }, "Walks a day: 0"],
    [{ custom: { trained: false } }, "House-trained: No"],
  ] as const)("with %j say %s", (profile, words) => {
    expect(wordsOf(profile as Partial<Profile>)).toEqual([words]);
  });

  test("do not count the days of one that was adopted", () => {
    expect(wordsOf({ arrivedOn: "2026-10-02" }, false)).toEqual(["Arrived: 2 October 2026"]);
  });

  test("tell which of them adopters never see", () => {
    expect(
      factsWith(FIELDS)
        .filter(({ isPrivate }) => isPrivate)
        .map(({ label }) => label),
    ).toEqual(["Microchip", "Notes", "Walks a day"]);
  });

  test("are columns in their own order, whichever the user chose first, and unknown names are ignored", () => {
    let names = "custom.coat custom.deleted constructor";
    for (const name of ["size", "sex", "size"]) names = toggleFact(names, name);
    const chosen = chosenFacts(factsWith(FIELDS), names);
    expect(chosen.map(({ name }) => name)).toEqual(["sex", "custom.coat"]);
    expect(chosenFacts(factsWith(FIELDS), "")).toEqual([]);
  });
});

test("a summary leaves out what is not known", () => {
  expect(summaryOf({ ...TIMES, sex: "female", birthDate: "2024-05", breeds: ["Beagle"] }, NOW)).toBe(
    "Female · 2 years · Beagle",
  );
  expect(summaryOf({ ...TIMES, sex: "unknown" }, NOW)).toBe("");
});

describe("the change of a profile", () => {
  const members = membersWith(FIELDS);
  const profile: Profile = {
    ...TIMES,
    sex: "male",
    breeds: ["Beagle"],
    weightGrams: 12_400,
    goodWith: { dogs: "yes" },
    fee: { amount: 12_000, currency: "EUR" },
    custom: { coat: "long" },
  };
  const before = profileDraftOf(profile, members);

  test.each([
    [{}, {}],
    [{ sex: "female" }, { sex: "female" }],
    [{ sex: "" }, { sex: null }],
    [{ neutered: "false" }, { neutered: false }],
    [{ breeds: "Beagle, Boxer," }, { breeds: ["Beagle", "Boxer"] }],
    [{ weightGrams: "3,85" }, { weightGrams: 3850 }],
    [{ weightGrams: "heavy" }, { weightGrams: "heavy" }],
    [{ "goodWith.dogs": "", "goodWith.cats": "no" }, { goodWith: { dogs: null, cats: "no" } }],
    [{ fee: "99.50 EUR" }, { fee: { amount: 9950, currency: "EUR" } }],
    [{ fee: "1.1 eur" }, { fee: { amount: 110, currency: "EUR" } }],
    [{ fee: "1.005EUR" }, { fee: { amount: 100.5, currency: "EUR" } }],
    [{ fee: "500 JPY" }, { fee: { amount: 500, currency: "JPY" } }],
    [{ fee: "120" }, { fee: "120" }],
    [{ fee: "" }, { fee: null }],
    [{ "custom.coat": "", "custom.walks": "2" }, { custom: { coat: null, walks: 2 } }],
    [{ "custom.trained": "true" }, { custom: { trained: true } }],
  ])("to %j is %j", (typed, change) => {
    expect(profileChangeOf(before, { ...before, ...typed }, members)).toEqual(
      change as ReturnType<typeof profileChangeOf>,
    );
  });

  test("sends nothing for a field that nobody touched", () => {
    expect(Object.values(profileDraftOf(TIMES, MEMBERS)).every((text) => text === "")).toBe(true);
  });
});

test("a form explains a date by its hint, and one that is too late by its limit", () => {
  const words = profileWords(membersWith(FIELDS));
  const wordsAt = (name: string, rule: string) => wordsFor({ name, rule }, words[name]);
  expect(wordsAt("birthDate", "format")).toBe("A year, a month or a day: 2024, 2024-05 or 2024-05-17.");
  expect(wordsAt("birthDate", "maximum")).toBe("Enter a date that is at most a year from now.");
  expect(wordsAt("reference", "taken")).toBe("This is already in use. Choose another.");
  expect(wordsAt("custom.walks", "type")).toBe("Enter a valid value.");
});
