import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { placing } from "./placed.ts";
import { bundledIn, expectFailure, inProcessIn } from "./program.ts";
import { storedAnimals } from "./stored-animals.ts";

const spawn = bundledIn();
const place = placing(inProcessIn);

/** The flags that an import suggests. For a status that it cannot guess, the user chooses one. */
const suggestedFlags = (notes: string): string[] => [
  ...new Set(["--create-categories", "--create-fields"].filter((flag) => notes.includes(`add ${flag}`))),
  ...[...notes.matchAll(/--value "(status:[^"]+)"/g)].flatMap(([, value = ""]) => [
    "--value",
    value.replace(/=STATUS$/, "=available"),
  ]),
];

describe("an export of another program is imported with the flags that a dry run prints, and loses no column:", () => {
  test.each([
    [
      "ASM3",
      "asm3",
      {
        name: "Bella",
        category: "Dog",
        reference: "D2026014",
        sex: "female",
        birthDate: "2024-05-17",
        breeds: ["Labrador Retriever"],
        colour: "Black",
        location: "Kennel 4",
        neutered: true,
        notes: "Found at the station.",
        description: "Good with children.",
        microchip: "276098100000001",
        arrivedOn: "2026-10-02",
        goodWith: { cats: "unknown", dogs: "yes", children: "yes" },
        "custom.animaltype": "D (Dog)",
        "custom.animalid": "101",
      },
    ],
    [
      "PetPoint",
      "petpoint",
      {
        name: "Rex",
        category: "Dog",
        status: "available",
        reference: "A44120031",
        sex: "male",
        breeds: ["Shepherd"],
        neutered: true,
        birthDate: "2019-04-02",
        arrivedOn: "2026-01-12",
        microchip: "985112004567890",
        location: "Ward A",
        "custom.secondaryBreed": "Mix",
        "custom.intakeType": "Stray",
      },
    ],
    [
      "Shelterluv",
      "shelterluv",
      {
        name: "Coco",
        category: "Dog",
        status: "available",
        reference: "HPAS-A-173",
        sex: "female",
        breeds: ["Beagle"],
        colour: "White",
        birthDate: "2023-09-25",
        weightGrams: 12_474,
        arrivedOn: "2026-10-14",
        description: "Loves long walks.\nShy at first.",
        neutered: true,
        "custom.attributes": "Housetrained, Bite History",
        "custom.ageYMD": "3Y/2M/4D",
      },
    ],
    [
      "RescueGroups",
      "rescuegroups",
      {
        name: "Daisy",
        category: "Dog",
        status: "available",
        reference: "R-0091",
        sex: "female",
        breeds: ["Boxer / Mixed"],
        colour: "Brindle",
        size: "large",
        birthDate: "2021-06-14",
        arrivedOn: "2026-08-30",
        notes: "Second home.",
        "custom.animalId": "17120455",
      },
    ],
    [
      "Airtable",
      "airtable",
      {
        name: "Oscar",
        category: "Dog",
        status: "available",
        sex: "male",
        birthDate: "2023-02-11",
        size: "medium",
        neutered: true,
        vaccinated: true,
        description: 'Oscar, who "sings".',
        "custom.breedDog": "Poodle,Terrier",
        "custom.fosterHome": "Lovelace",
      },
    ],
  ])("%s", async (_, file, first) => {
    const text = readFileSync(join(import.meta.dir, "exports", `${file}.csv`));
    const { cwd, importing } = place(text);
    const flags = suggestedFlags((await importing("--dry-run")).error);
    const { code, out, error } = await importing(...flags);
    expect([code, out]).toEqual([0, expect.stringContaining("2 added, 0 rejected")]);
    expect(error).not.toContain("skipped columns");
    expect(storedAnimals(cwd)[0]).toMatchObject(first);
    expect(storedAnimals(cwd)).toHaveLength(2);
  });
});

const DATES = "name,categoryId,arrivedOn\nBella,3,3/4/2026\n";

test("a date that may be two days is rejected with the flags to choose from, unless another date shows the order", async () => {
  const ambiguous = place(DATES);
  expectFailure(
    await ambiguous.importing("--dry-run"),
    1,
    'month of "3/4/2026" may be in either order: add --dates dmy or --dates mdy',
  );
  await ambiguous.importing("--dates", "dmy");
  expect(storedAnimals(ambiguous.cwd)).toMatchObject([{ arrivedOn: "2026-04-03" }]);
  const clear = place(`${DATES}Rex,3,3/14/2026\n`);
  const { error } = await clear.importing();
  expect(error).toContain("dates are in the order mdy, as in 3/14/2026; choose the other with --dates");
  expect(storedAnimals(clear.cwd)).toMatchObject([{ arrivedOn: "2026-03-04" }, { arrivedOn: "2026-03-14" }]);
});

test("a value that breaks the rules of profiles rejects its row, with the form that it needs", async () => {
  const rows = ["Bella,3,purple,,", "Rex,3,,150,", "Tom,3,,,12", 'Luna,3,female,"€1,250",3 kg'];
  const { cwd, importing, read } = place(`name,categoryId,sex,fee,weight\n${rows.join("\n")}\n`);
  expect((await importing()).code).toBe(1);
  expect(storedAnimals(cwd)).toEqual([
    { id: 1, name: "Luna", sex: "female", weightGrams: 3000, fee: { amount: 125_000, currency: "EUR" } },
  ]);
  const reasons = read("a.csv.rejected").trim().split("\n").slice(1);
  expect(reasons).toEqual([
    expect.stringContaining('sex: must be one of female, male, unknown, not ""purple""'),
    expect.stringContaining("fee: must be an amount with its currency, such as 150.00 EUR, not"),
    expect.stringContaining("weightGrams: must be a weight with its unit, such as 12.4 kg, not"),
  ]);
});

test("a file without units and currencies is imported with the flags that a dry run prints", async () => {
  const { cwd, importing } = place(
    "name,categoryId,ANIMALWEIGHT,Adoption Fee\nBella,3,12.5,150\nRex,3,9,80\n",
  );
  const { error } = await importing("--dry-run");
  expect(error).toContain(
    'a weight such as "12.5" has no unit: add --map "ANIMALWEIGHT=weightKg" or --map "ANIMALWEIGHT=weightPounds"\n',
  );
  expect(error).toContain('a fee such as "150" has no currency: add --currency, such as --currency EUR\n');
  expect((await importing("--map", "ANIMALWEIGHT=weightKg", "--currency", "chf")).code).toBe(0);
  expect(storedAnimals(cwd)).toMatchObject([
    { weightGrams: 12_500, fee: { amount: 15_000, currency: "CHF" } },
    { weightGrams: 9000, fee: { amount: 8000, currency: "CHF" } },
  ]);
});

test("a currency that ISO 4217 does not have is refused", async () => {
  expectFailure(
    await place("name,categoryId\n").importing("--currency", "EURO"),
    2,
    '--currency: "EURO" is not a currency code of ISO 4217, such as EUR',
  );
});

test("words of members are translated with the flags that a dry run prints", async () => {
  const { cwd, importing } = place("name,categoryId,Sex,Size,Altered\nBella,3,Male (N),Toy,done\n");
  const { error } = await importing("--dry-run");
  expect(error).toContain(
    'size: "Toy" (1 row) is not one of small, medium, large, extra_large: add --value "size:Toy=SIZE"\n',
  );
  expect(error).toContain('--value "sex:Male (N)=SEX"\n');
  expect(error).toContain(
    'neutered: "done" (1 row) is not one of yes, no: add --value "neutered:done=NEUTERED"\n',
  );
  const flags = ["size:Toy=small", "sex:Male (N)=male", "neutered:Done=yes"].flatMap((value) => [
    "--value",
    value,
  ]);
  expect((await importing(...flags)).code).toBe(0);
  expect(storedAnimals(cwd)).toMatchObject([{ sex: "male", size: "small", neutered: true }]);
});

test("a row is rejected with all of its reasons, and each names the value", async () => {
  const { importing, read } = place(
    "name,categoryId,Altered,size,birthDate,weight,arrivedOn\nBella,3,maybe,toy,1850,heavy,spring\n",
  );
  await importing();
  const reasons = read("a.csv.rejected").replaceAll('""', '"');
  for (const reason of [
    'neutered: must be one of yes, no, not "maybe"',
    'size: must be one of small, medium, large, extra_large, not "toy"',
    'weightGrams: must be a weight with its unit, such as 12.4 kg, not "heavy"',
    'such as 2024, 2024-05 or 2024-05-17, not "1850"',
    'not "spring"',
  ])
    expect(reasons).toContain(reason);
});

test("NDJSON has profiles, too, as JSON or as the texts of CSV", async () => {
  const rows = [
    {
      name: "Bella",
      categoryId: 3,
      reference: 12,
      breeds: ["Beagle"],
      fee: { amount: 100, currency: "EUR" },
      Coat: "long",
    },
    { name: "Rex", categoryId: 3, reference: "13", breeds: "Boxer; Pug", fee: "1 EUR" },
  ];
  const { cwd, importing } = place(rows.map((row) => JSON.stringify(row)).join("\n"), "a.ndjson");
  expect((await importing("--create-fields")).code).toBe(0);
  expect(storedAnimals(cwd)).toMatchObject([
    { reference: "12", breeds: ["Beagle"], fee: { amount: 100 }, "custom.coat": "long" },
    { reference: "13", breeds: ["Boxer", "Pug"], fee: { amount: 100 } },
  ]);
});

test("texts of NDJSON are exact, whatever the name of their member", async () => {
  const row = { name: "Bella", categoryId: 3, Color: '" a"', Comments: '" b"', Notes: " c " };
  const { cwd, importing } = place(JSON.stringify(row), "a.ndjson");
  await importing("--create-fields");
  expect(storedAnimals(cwd)).toMatchObject([{ colour: '" a"', notes: " c ", "custom.comments": '" b"' }]);
});

test("new custom fields get distinct names, and a second file uses them without the flag", async () => {
  const text = "name,categoryId,Foster Home,foster-home?,Élan vital,2nd,犬\nBella,3,a,b,c,d,e\n";
  const { cwd, importing } = place(text);
  const { out, error } = await importing("--create-fields");
  expect([error, out]).toEqual([
    "",
    expect.stringContaining(
      "Custom fields that were created: fosterHome, fosterHome2, elanVital, field2nd, field",
    ),
  ]);
  expect(storedAnimals(cwd)).toMatchObject([
    { "custom.fosterHome": "a", "custom.fosterHome2": "b", "custom.elanVital": "c", "custom.field": "e" },
  ]);
  await Bun.write(join(cwd, "b.csv"), "name,categoryId,élan VITAL\nRex,3,f\n");
  await inProcessIn(cwd, ["import", "b.csv"]);
  expect(storedAnimals(cwd)[1]).toMatchObject({ name: "Rex", "custom.elanVital": "f" });
});

test("a column named after a member of every JavaScript object gets a field of another name", async () => {
  const { cwd, importing } = place("name,categoryId,Constructor,valueOf\nBella,3,a,\nRex,3,,b\n");
  expect((await importing("--create-fields")).code).toBe(0);
  expect(storedAnimals(cwd)).toMatchObject([{ "custom.constructor2": "a" }, { "custom.valueOf2": "b" }]);
});

test("reasons of more than ten rows are announced as not shown", async () => {
  const errorOf = async (rows: number) =>
    (await place(`name,categoryId\n${"Bella,x\n".repeat(rows)}`).importing("--dry-run")).error;
  expect([await errorOf(10), await errorOf(11)]).toEqual([
    expect.not.stringContaining("not shown"),
    expect.stringContaining("further rows are not shown\n"),
  ]);
});

test("a column with values and without a header is reported by its place", async () => {
  for (const flags of [[], ["--create-fields"]]) {
    const { importing } = place("name,categoryId,Coat, \nBella,3,long,lost\n");
    const { error } = await importing(...flags);
    expect(error).toContain("column 4");
  }
});

test("a column ID that is not read, and a column of reasons, are reported", async () => {
  const { importing } = place("name,categoryId,reason,Animal ID,ID\nBella,3,Stray,A-1,12\n");
  const { error } = await importing();
  expect(error).toContain('skipped columns: "reason", "ID"; to keep them');
});

test("columns beyond the number of fields that a store can have are reported", async () => {
  const columns = Array.from({ length: 45 }, (_, index) => `c${index}`);
  const { importing } = place(`name,categoryId,${columns.join()}\nBella,3,${columns.join()}\n`);
  const { error, code } = await importing("--create-fields");
  expect([code, error]).toEqual([
    0,
    expect.stringContaining(
      'skipped columns: "c40", "c41", "c42", "c43", "c44"; a custom field needs a name of at most 80 characters and values of one kind, and a store has at most 40 fields\n',
    ),
  ]);
});

test("fields of NDJSON become custom fields of their kind, and what no field can hold is reported", async () => {
  const rows = [
    { name: "Bella", categoryId: 3, walks: 2, shy: true, coat: null, owner: { name: "Jo" }, code: 7 },
    { name: "Rex", categoryId: 3, walks: null, shy: false, coat: "long", owner: {}, code: "B7" },
  ];
  const { cwd, importing } = place(rows.map((row) => JSON.stringify(row)).join("\n"), "a.ndjson");
  const { code, error } = await importing("--create-fields");
  expect([code, error]).toEqual([0, expect.stringContaining('skipped fields: "owner", "code"')]);
  expect(storedAnimals(cwd)).toMatchObject([
    { "custom.walks": 2, "custom.shy": true },
    { "custom.shy": false, "custom.coat": "long" },
  ]);
});

test("a mapping to a custom field that does not exist is refused", async () => {
  const { importing } = place("name,categoryId,Coat\nBella,3,long\n");
  expectFailure(
    await importing("--map", "Coat=custom.coat"),
    1,
    "add it with POST /v1/fields first, or leave the column out of --map and use --create-fields",
  );
});

describe("a file with a reference of the store", () => {
  const FIRST = "name,categoryId,Animal ID\nBella,3,A-1\nRex,3,A-2\n";

  test("is refused, whatever the row, and the message has the flags of an update", async () => {
    const { cwd, importing } = place(FIRST);
    await importing();
    await Bun.write(join(cwd, "a.csv"), "name,categoryId,Animal ID\nTom,3,A-3\nRex,3,A-2\n");
    expectFailure(
      await importing(),
      1,
      'such as animal 2 with the reference "A-2": update them with --update --key "Animal ID"',
    );
    expect(storedAnimals(cwd)).toHaveLength(2);
  });

  test("from standard input is imported without the rows of these animals", async () => {
    const { cwd, importing } = place(FIRST);
    await importing();
    const text = "name,categoryId,Animal ID\nTom,3,A-3\nRex,3,A-2\n";
    const { out } = await spawn(cwd, ["import", "-", "--format", "csv", "--rejected", "r"], text);
    expect(out).toContain("2 rows read: 1 added, 1 rejected, see r");
    expect(readFileSync(join(cwd, "r"), "utf8")).toContain("reference: animal 2 has it");
  });

  test("that names an animal several times adds it once, names rows with other values, and rejects other animals", async () => {
    const { importing } = place(`${FIRST}Bella,3,A-1\nBella,4,A-1\nKim,3,A-1\n`);
    const { code, out, error } = await importing();
    expect(code).toBe(1);
    expect(error).toContain('line 4: repeats the reference "A-1" of line 2\n');
    expect(error).toContain(
      'line 5: repeats the reference "A-1" of line 2 with other values, which are not imported: if these are right, correct line 2\n',
    );
    expect(error).toContain('line 6: repeats the reference "A-1" of line 2 with another name: correct or');
    expect(out).toContain(
      "5 rows read: 2 added, 1 rejected, see a.csv.rejected; 2 rows skipped, because their",
    );
  });
});
