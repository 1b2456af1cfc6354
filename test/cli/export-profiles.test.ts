import { expect, test } from "bun:test";
import { join } from "node:path";
import { addPet, temporaryDirectory } from "../support/store.ts";
import { openShared } from "./program.ts";

/** Values at the limits of the API: white space, quotes, formulas, and what looks like a list or another type. */
const PROFILE = {
  description: "\n    =code\n\nBella likes *long* walks. ",
  birthDate: "2024-05",
  birthDateEstimated: false,
  breeds: ["Chihuahua, Long Coat", " Mixed"],
  colour: '"Black"; White',
  size: "extra_large",
  weightGrams: 12_400,
  microchip: "000276098100001",
  goodWith: { children: "yes", dogs: "no", cats: "unknown" },
  specialNeeds: "-1 tablet\ntwice a day",
  fee: { amount: 15_005, currency: "KWD" },
  arrivedOn: "2026-10-02",
  reference: "'=7 ",
  notes: " ",
  tags: ["[new]", "calm"],
  custom: { sponsor: '" Ada "', visits: -1.5, indoor: false, none: "none" },
};

const FIELDS = [
  { name: "sponsor", label: "Sponsor", kind: "text" },
  { name: "visits", label: "Visits", kind: "number" },
  { name: "indoor", label: "Indoor", kind: "boolean" },
  { name: "none", label: "None", kind: "text" },
];

/** A store with the fields. */
const withFields = async (fields: readonly object[] = FIELDS) => {
  const shared = await openShared();
  for (const field of fields)
    expect((await shared.store.call("POST", "/v1/fields", { json: { public: true, ...field } })).status).toBe(
      201,
    );
  return shared;
};

test.each([
  ["animals.csv", PROFILE, []],
  ["animals.csv", PROFILE, ["--raw"]],
  ["animals.ndjson", PROFILE, []],
])(
  "%s changes nothing when it updates its own store, and loses nothing elsewhere: %#",
  async (name, json, flags) => {
    const { store, run } = await withFields();
    await addPet(store, { name: " Bella", status: "sold" });
    await addPet(store, { name: "Tom" });
    expect((await store.call("PUT", "/v1/pets/1/profile", { json })).status).toBe(200);
    const file = join(temporaryDirectory(), name);
    expect((await run("export", file, ...flags)).code).toBe(0);
    const update = await run("import", file, "--update", "--key", "id", ...flags);
    expect([update.error, update.out]).toEqual([
      "",
      expect.stringContaining("0 added, 0 changed, 2 unchanged, 0 rejected"),
    ]);
    const byReference = await run("import", file, "--update", "--key", "reference", "--dry-run", ...flags);
    expect(byReference.out).toContain(
      "0 would be added, 0 would be changed, 1 unchanged, 1 would be rejected",
    );
    const elsewhere = await withFields();
    expect(await elsewhere.run("import", file, ...flags)).toMatchObject({
      error: 'adoption-store: "id" is not read: new animals get new ids\n',
      code: 0,
    });
    expect((await elsewhere.run("export")).out).toBe((await run("export")).out);
  },
);

test.each(["animals.csv", "animals.ndjson"])(
  "the longest profile is exported to %s and imported",
  async (name) => {
    const fields = Array.from({ length: 40 }, (_, at) => ({
      name: `text${at}`,
      label: `Text ${at}`,
      kind: "text",
    }));
    const { store, run } = await withFields(fields);
    const { id } = await addPet(store, {});
    const text = (length: number) => "🐕".repeat(length);
    const parts = [
      { description: text(10_000), specialNeeds: text(2000), notes: text(4000) },
      ...fields.map((field) => ({ custom: { [field.name]: text(2000) } })),
    ];
    for (const json of parts)
      expect((await store.call("PATCH", `/v1/pets/${id}/profile`, { json })).status).toBe(200);
    const file = join(temporaryDirectory(), name);
    expect((await run("export", file)).code).toBe(0);
    const { out } = await run("import", file, "--update", "--key", "id");
    expect(out).toContain("1 unchanged, 0 rejected");
  },
);

test("the column custom.coat belongs to the field coat, whatever the names of other fields", async () => {
  const { store, run } = await withFields(
    ["coat", "customCoat"].map((name) => ({ name, label: name, kind: "text" })),
  );
  const { id } = await addPet(store, {});
  const json = { custom: { coat: "long", customCoat: "short" } };
  expect((await store.call("PUT", `/v1/pets/${id}/profile`, { json })).status).toBe(200);
  const file = join(temporaryDirectory(), "animals.csv");
  expect((await run("export", file)).code).toBe(0);
  const { out } = await run("import", file, "--update", "--key", "id");
  expect(out).toContain("1 unchanged, 0 rejected");
});
