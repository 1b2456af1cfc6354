import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import { unguardFormula } from "../../../src/lib/csv-writer.ts";
import { exportParts, type Selection } from "../../../src/store/import-export/export.ts";
import { columnsFor, type ProfileColumn } from "../../../src/store/import-export/profile-columns.ts";
import { addPet, openStore, type Store } from "../../support/store.ts";

const BELLA = {
  description: "\n    =code\n\nBella likes *long* walks. ",
  sex: "female",
  birthDate: "2024-05",
  birthDateEstimated: false,
  breeds: ["Chihuahua, Long Coat", " Mixed"],
  colour: '"Black"; White',
  size: "extra_large",
  weightGrams: 12_400,
  neutered: true,
  vaccinated: false,
  microchip: "000276098100001",
  goodWith: { children: "yes", dogs: "no", cats: "unknown" },
  specialNeeds: "-1 tablet\ntwice a day",
  fee: { amount: 15_005, currency: "KWD" },
  location: "Kennel 4",
  arrivedOn: "2026-10-02",
  reference: "'=7",
  notes: " ",
  tags: ["[new]", "calm"],
  custom: { coat: "long", sponsor: '" Ada "', visits: -1.5, indoor: false, seen: "2026-01-31" },
};

const FIELDS = [
  { name: "coat", label: "Coat", kind: "choice", choices: ["long", "short"], position: 9 },
  { name: "sponsor", label: "Sponsor", kind: "text" },
  { name: "visits", label: "Visits", kind: "number", position: 0 },
  { name: "indoor", label: "Indoor", kind: "boolean" },
  { name: "seen", label: "Seen", kind: "date" },
  { name: "unused", label: "Unused", kind: "text" },
] as const;

const putProfile = async (store: Store, id: number, json: object) =>
  expect((await store.call("PUT", `/v1/pets/${id}/profile`, { json })).status).toBe(200);

/** A store with Tom, who has no profile, and Bella, who has all members. */
const withProfiles = async () => {
  const store = await openStore();
  for (const field of FIELDS)
    expect((await store.call("POST", "/v1/fields", { json: { public: true, ...field } })).status).toBe(201);
  await addPet(store, { name: "Tom" });
  await addPet(store, { name: "Bella" });
  await putProfile(store, 2, BELLA);
  return store;
};

const exported = (store: Store, selection: Partial<Selection> = {}) => {
  const parts = exportParts(store.database, { format: "csv", status: undefined, isRaw: false, ...selection });
  return [...parts].map(({ text }) => text).join("");
};

const COLUMNS: Readonly<Record<string, ProfileColumn>> = Object.fromEntries(columnsFor(FIELDS));

/** The profile in the cells of a row. */
const profileOf = (row: Record<string, string>) => {
  const profile: Record<string, unknown> = {};
  for (const [name, cell] of Object.entries(row)) {
    const { into: [member = "", part] = [], read } = COLUMNS[name] ?? {};
    if (!read || cell === "") continue;
    const value = read(unguardFormula(cell).trim(), {});
    profile[member] = part === undefined ? value : { ...(profile[member] as object), [part]: value };
  }
  return profile;
};

test("the cells of an export are read as the same profile again", async () => {
  const rows = parse<Record<string, string>>(exported(await withProfiles()), { columns: true });
  expect(rows.map(profileOf)).toEqual([{}, BELLA]);
});

test("an export has today's columns, and then one for each member and field in use, in their order", async () => {
  const store = await withProfiles();
  await putProfile(store, 2, {
    tags: ["calm"],
    sex: "male",
    goodWith: { cats: "no" },
    custom: { coat: "short", visits: 2 },
  });
  expect(exported(store)).toBe(
    "id,name,categoryId,category,status,sex,goodWithCats,tags,custom.visits,custom.coat\n" +
      "1,Tom,1,,,,,,,\n2,Bella,1,,,male,no,calm,2,short\n",
  );
});

test("a key that stands in a text is no column", async () => {
  const store = await withProfiles();
  await putProfile(store, 2, { notes: '"sex":"male", "fee": {"amount":1}' });
  expect(exported(store)).toStartWith("id,name,categoryId,category,status,notes\n");
});

test("a column is in use if only the last of many animals has a value", async () => {
  const store = await openStore();
  const { client } = store.database;
  client.run(
    `WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1201)
     INSERT INTO pets (name, category_id, created_at) SELECT 'Rex', 1, 0 FROM n`,
  );
  client.run(`INSERT INTO pet_profiles (pet_id, data) SELECT id, '{"sex":"male"}' FROM pets`);
  client.run(`UPDATE pet_profiles SET data = '{"colour":"red"}' WHERE pet_id = 1201`);
  const lines = exported(store).trimEnd().split("\n");
  expect([lines[0], lines[1], lines[1200], lines[1201]]).toEqual([
    "id,name,categoryId,category,status,sex,colour",
    "1,Rex,1,,,male,",
    "1200,Rex,1,,,male,",
    "1201,Rex,1,,,,red",
  ]);
});

test("NDJSON has the same names, with values of JSON", async () => {
  const store = await withProfiles();
  const { goodWith, custom, ...members } = BELLA;
  const flat = {
    ...members,
    goodWithChildren: goodWith.children,
    goodWithDogs: goodWith.dogs,
    goodWithCats: goodWith.cats,
    ...Object.fromEntries(Object.entries(custom).map(([name, value]) => [`custom.${name}`, value])),
  };
  const lines = exported(store, { format: "ndjson" }).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    { id: 1, name: "Tom", categoryId: 1 },
    { id: 2, name: "Bella", categoryId: 1, ...flat },
  ]);
  const [heading = ""] = exported(store).split("\n");
  expect(heading.split(",").slice(5).toSorted()).toEqual(Object.keys(flat).toSorted());
});

test("an export ends at a damaged profile, and names the remedy", async () => {
  const store = await withProfiles();
  store.database.client.run("UPDATE pet_profiles SET data = '{\"sex\":'");
  expect(() => exported(store)).toThrow(
    "the profile of animal 2 is damaged: write it again with PUT /v1/pets/2/profile, then export again",
  );
  await putProfile(store, 2, {});
  expect(exported(store)).toBe("id,name,categoryId,category,status\n1,Tom,1,,\n2,Bella,1,,\n");
});
