import { Database } from "bun:sqlite";
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { openStore } from "../support/store.ts";
import { createStore } from "../support/new-store.ts";
import { animals, placing } from "./placed.ts";
import { inProcess, inProcessIn, expectFailure } from "./program.ts";

// Each test runs several commands, and the machine may be busy.
setDefaultTimeout(60_000);

const run = inProcessIn;
const place = placing(run);

/** A file as a shelter has it, with a store that has the category Dog. */
const placed = async (text: string | Uint8Array, file?: string) => {
  const here = place(text, file);
  await createStore(join(here.cwd, "data"));
  await run(here.cwd, ["categories", "add", "Dog"]);
  return here;
};

const SHELTER = `Animal Name,Species,Breed,Intake Date,Status,Phone,,
Bella,Dog,Labrador,2026-03-02,Available,555-0101,,
Tom,Cat,,2026-03-03,REHOMED,,,
Max,dog ,Beagle,2026-03-04,On hold,555-0102
`;

describe("a shelter's spreadsheet", () => {
  test("is imported with guessed columns, created categories and mapped values", async () => {
    const { cwd, importing } = await placed(SHELTER);
    const { code, error, out } = await importing(
      "--create-categories",
      "--value",
      "status:Rehomed=sold",
      "--value",
      "status:on HOLD=pending",
    );
    expect(error.split("\n")).toEqual([
      'adoption-store: guessed: "Animal Name" as name, "Species" as category, "Breed" as breeds, "Intake Date" as arrivedOn; choose others with --map "COLUMN=FIELD"',
      'adoption-store: skipped columns: "Phone"; to keep them as custom fields, of which a store has at most 40, add --create-fields',
      "",
    ]);
    expect(code).toBe(0);
    expect(out).toStartWith("Categories that were created: Cat\n3 rows read: 3 added, 0 rejected (");
    expect(animals(cwd)).toEqual(["Bella|1|available", "Tom|2|sold", "Max|1|pending"]);
    expect((await run(cwd, ["categories", "list"])).out).toBe("ID  NAME\n1   Dog\n2   Cat\n");
  });

  test("is imported with each decision and its reason, with LOG_LEVEL=debug", async () => {
    const { cwd } = await placed("name,category\nBella,Dog\nTom,Cat\n");
    const env = { DATA_DIR: join(cwd, "data"), LOG_LEVEL: "debug" };
    const decisions = async (...flags: string[]) =>
      (await inProcess(["import", "a.csv", "--create-categories", ...flags], { cwd, env })).error
        .split("\n")
        .map((line) =>
          line.replace(/^adoption-store: /, "").replace(/up to \d+ rows next|for [\d.]+ ms/g, "N"),
        );
    const reads = 'reads UTF-8 with the columns {"name":"name","category":"category"}';
    expect(await decisions()).toEqual([
      reads,
      "starts at the first row: no import to continue has read this file",
      "writes N: 1 row held the lock N",
      'creates the category "Cat": a row names it, and no category has the name',
      "writes N: 1 row held the lock N",
      "",
    ]);
    appendFileSync(join(cwd, "a.csv"), "Max,Dog\n");
    expect((await decisions()).slice(0, 2)).toEqual([
      reads,
      "continues import 1 at byte 32: the file begins with its rows",
    ]);
  });

  test("may have the status Adopted, as people read it in the console", async () => {
    const { cwd, importing } = await placed("name,category,status\nRex,Dog,Adopted\nMax,Dog,On hold\n");
    const { code } = await importing("--value", "status:On hold=adopted");
    expect(code).toBe(0);
    expect(animals(cwd)).toEqual(["Rex|1|sold", "Max|1|sold"]);
  });

  test("may give the word Adopted another meaning", async () => {
    const { cwd, importing } = await placed("name,category,status\nRex,Dog,Adopted\n");
    expect((await importing("--value", "status:Adopted=pending")).code).toBe(0);
    expect(animals(cwd)).toEqual(["Rex|1|pending"]);
  });

  test("prints flags that a shell does not interpret", async () => {
    const { importing } = await placed('name,category,status\nBella,"`id`",$(touch pwned)\n');
    const { error } = await importing("--dry-run");
    expect(error).toContain(`add --value 'status:$(touch pwned)=STATUS'\n`);
    expect(error).toContain("map them: --value 'category:`id`=NAME'\n");
  });

  test("names unknown values and categories, and the flags that map them", async () => {
    const { cwd, importing, read } = await placed(SHELTER);
    const { code, error } = await importing();
    expect(code).toBe(1);
    expect(error).toContain(
      'line 3: status: "REHOMED" is not one of available, pending, sold; category: there is no category "Cat"\n',
    );
    expect(error).toContain(
      'no status is called "REHOMED" (1 row), "On hold" (1 row): add --value "status:REHOMED=sold" --value "status:On hold=pending"\n',
    );
    expect(error).toContain('no category is called "Cat" (1 row): add --create-categories, or map them: ');
    expect(read("a.csv.rejected")).toContain('"status: ""On hold"" is not one of');
    expect(animals(cwd)).toEqual(["Bella|1|available"]);
    // The same file would be refused: the rows to try again are in another one.
    expect(error).toContain(
      "\nadoption-store: these rows are in a.csv.rejected: import that file with the flags that you add\n",
    );
    expect((await importing("--dry-run")).error).not.toContain("these rows are in");
    expect((await importing("--create-categories")).error).toMatch(
      /was already imported on .* \(1 animal\): correct the rejected rows in \S*a\.csv\.rejected and import that, or add --again to import all rows once more\n$/,
    );
  });

  test("--dry-run shows its first five rows, and stores no category", async () => {
    const rows = Array.from({ length: 7 }, (_, index) => `Animal ${index},Cat,`).join("\n");
    const { cwd, importing } = await placed(`Pet Name,Type,Status\nRex,Dog,sold\n,Dog,\n${rows}\n`);
    const { out } = await importing("--dry-run", "--create-categories");
    expect(out.split("\n").slice(0, 8)).toEqual([
      "LINE  NAME      CATEGORY   STATUS",
      "2     Rex       Dog        adopted",
      ...[0, 1, 2, 3].map((at) => `${at + 4}     Animal ${at}  Cat (new)  -`),
      "",
      "Categories that would be created: Cat",
    ]);
    expect((await run(cwd, ["categories", "list", "--json"])).out).toBe('[{"id":1,"name":"Dog"}]\n');
    const { preview, createdCategories, columns } = JSON.parse(
      (await importing("--dry-run", "--create-categories", "--json")).out,
    );
    expect(preview[1]).toEqual({ line: 4, name: "Animal 0", category: "Cat" });
    expect([createdCategories, columns]).toEqual([
      ["Cat"],
      { name: "Pet Name", category: "Type", status: "Status" },
    ]);
  });

  test("without a store is checked too, and creates none", async () => {
    const { cwd, importing } = place("Animal Name,Species\nBella,Dog\n");
    expectFailure(await importing("--dry-run"), 1, "add --create-categories");
    expect((await importing("--dry-run", "--create-categories")).code).toBe(0);
    expect(existsSync(join(cwd, "data"))).toBe(false);
  });
});

describe("columns are guessed", () => {
  test.each([
    ["ANIMAL_NAME,animal-type,Adoption Status"],
    ["Pet's Name,SPECIES,State"],
    ["name,Category,status"],
    ["Name of animal,Kind,Availability"],
  ])("from %s", async (header) => {
    const { cwd, importing } = await placed(`${header}\nBella,Dog,Sold\n`);
    expect((await importing()).code).toBe(0);
    expect(animals(cwd)).toEqual(["Bella|1|sold"]);
  });

  test.each([
    ["Animal,Owner,Category", /no column matches name; found "Animal", "Owner", "Category"/],
    ["Name,Breed", /no column matches category;/],
  ])("but not from %s", async (header, message) => {
    const { cwd, importing } = await placed(`${header}\nBella,Dog,Dog,Dog\n`);
    expectFailure(await importing(), 1, message);
    expect(animals(cwd)).toEqual([]);
  });

  test.each([
    ["Animal Name,Species,Type", "Bella,Dog,Cat", '"Type"'],
    ["Name of Pet,Pet Name,Category", "Rex,Bella,Dog", '"Name of Pet"'],
    ["Name,Category,State,Availability", "Bella,Dog,TX,sold", '"State"'],
  ])("from the best known of several: %s", async (header, row, skipped) => {
    const { cwd, importing } = await placed(`${header}\n${row}\n`);
    const { code, error } = await importing();
    expect([code, error]).toEqual([0, expect.stringContaining(`skipped columns: ${skipped}; `)]);
    expect(animals(cwd)[0]).toMatch(/^Bella\|1\|/);
  });

  test("unless --map names them", async () => {
    const { cwd, importing } = await placed("Animal Name,Species,Type,State\nBella,Mammal,Dog,TX\n");
    const { code, error } = await importing("--map", "Type=category", "--map", "State=ignore");
    expect([code, error]).toEqual([0, expect.not.stringContaining('"State"')]);
    expect(animals(cwd)).toEqual(["Bella|1|"]);
  });

  test("not for the category if the file has its id", async () => {
    const { cwd, importing } = await placed("name,categoryId,Species\nBella,7,Dog\n");
    expect((await importing()).error).toBe(
      'adoption-store: skipped columns: "Species"; to keep them as custom fields, of which a store has at most 40, add --create-fields\n',
    );
    expect(animals(cwd)).toEqual(["Bella|7|"]);
  });

  test("from the keys of NDJSON, where --map chooses between two spellings", async () => {
    const { cwd, importing } = await placed(
      '{"Animal Name":"Bella","species":"Dog"}\n{"species":"dog","Animal Name":"Rex","STATUS":"Sold"}\n',
      "a.ndjson",
    );
    expect((await importing()).code).toBe(0);
    expect(animals(cwd)).toEqual(["Bella|1|", "Rex|1|sold"]);
    const both = place(
      '{"name":"owner","Name":"Bella","categoryId":1}\n{"Name":"Rex","name":"owner","categoryId":1}\n',
      "b.ndjson",
    );
    expect((await both.importing("--map", "Name=name")).code).toBe(0);
    expect(animals(both.cwd)).toEqual(["Bella|1|", "Rex|1|"]);
  });
});

describe("a category is named", () => {
  test("in any case and spacing, and created once", async () => {
    const { cwd, importing } = await placed(
      "name,category\nA,small  cat\nB,Small Cat\nC, SMALL CAT\nD,dog\n",
    );
    await importing("--create-categories");
    expect(animals(cwd)).toEqual(["A|2|", "B|2|", "C|2|", "D|1|"]);
  });

  test.each([
    ["", "line 2: category: is empty"],
    ["7", 'category: there is no category "7"; if the column has ids, add --map "COLUMN=categoryId"'],
    ["x".repeat(101), "cannot be created: name: must be a string of 1 to 100 characters"],
    ["a\u0007b", "cannot be created"],
  ])("but not %p, also with --create-categories", async (name, message) => {
    const { cwd, importing } = await placed(`name,category,status\nBella,${name},\n`);
    expectFailure(await importing("--create-categories"), 1, message);
    expect((await run(cwd, ["categories", "list", "--json"])).out).toBe('[{"id":1,"name":"Dog"}]\n');
  });

  test("in the export of another store, whose ids mean other categories here", async () => {
    const { cwd, importing } = await placed(
      "name,categoryId,category\nTom,2,Cat\nBella,1,Cat\nRex,7,dog\nMax,9223372036854775807,\n",
    );
    expect((await importing("--create-categories")).code).toBe(0);
    expect(animals(cwd)).toEqual(["Tom|2|", "Bella|2|", "Rex|1|", "Max|9223372036854775807|"]);
  });

  test("by the digits of its id, if it exists", async () => {
    const { cwd, importing } = await placed("name,category\nBella,1\n");
    await importing();
    expect(animals(cwd)).toEqual(["Bella|1|"]);
  });

  test("and not created for a row that is rejected for another reason", async () => {
    const { cwd, importing } = await placed("name,category\n,Cat\n");
    await importing("--create-categories");
    expect((await run(cwd, ["categories", "list", "--json"])).out).toBe('[{"id":1,"name":"Dog"}]\n');
  });

  test("by another name, with --value", async () => {
    const { cwd, importing } = await placed("name,category\nBella,Canine\n");
    expect((await importing("--value", "category:canine=Dog")).code).toBe(0);
    expect(animals(cwd)).toEqual(["Bella|1|"]);
  });

  test("where categories are strict", async () => {
    const { cwd, importing } = await placed("name,category\nBella,Cat\nRex,Dog\n");
    const { code } = await importing("--create-categories", "--strict-categories", "true");
    expect([code, animals(cwd)]).toEqual([0, ["Bella|2|", "Rex|1|"]]);
  });

  test("next to a server, which shows it immediately", async () => {
    const here = place("name,category\nBella,Cat\n");
    mkdirSync(join(here.cwd, "data"));
    const store = await openStore({ path: join(here.cwd, "data", "adoption-store.db") });
    await here.importing("--create-categories");
    expect(await (await store.call("GET", "/v1/categories")).json()).toEqual([{ id: 1, name: "Cat" }]);
  });
});

describe("a file", () => {
  test("may have titles above its header", async () => {
    const { cwd, importing } = await placed(
      "\uFEFFHappy Paws Shelter;;\nAs of 1 March 2026;;\n\nAnimal Name;Species;Status\nBella;Dog;Available\nRex;x;\n",
    );
    const { error } = await importing();
    expect(error).toContain("the header is on line 4; earlier lines were skipped");
    expect(error).toContain("line 6: category");
    expect(animals(cwd)).toEqual(["Bella|1|available"]);
  });

  test("in windows-1252 is refused with the flag that reads it, and read with it", async () => {
    const { cwd, importing } = await placed(Buffer.from("name,category\nZo\xeb,Dog\nRex,Dog\n", "latin1"));
    expectFailure(await importing(), 1, /is not UTF-8: add --encoding windows-1252.*then reads "Zoë"/);
    expect(animals(cwd)).toEqual([]);
    expect((await importing("--encoding", "windows-1252")).code).toBe(0);
    expect(animals(cwd)).toEqual(["Zoë|1|", "Rex|1|"]);
  });

  test("in UTF-8 is not read with another encoding", async () => {
    const { importing } = await placed("name,category\nZoë,Dog\n");
    expectFailure(await importing("--encoding", "windows-1252"), 1, "it is UTF-8, not windows-1252");
    expect((await importing("--encoding", "UTF-8")).code).toBe(0);
  });

  test("in big-endian UTF-16 is read if its encoding is named", async () => {
    const { cwd, importing } = await placed(Buffer.from("name,category\nZoë,Dog\n", "utf16le").swap16());
    expect((await importing()).error).toContain("--encoding utf-16be");
    expect((await importing("--encoding", "utf-16be")).code).toBe(0);
    expect(animals(cwd)).toEqual(["Zoë|1|"]);
  });

  test.each([
    ["a.xlsx", "anything", 2],
    ["a.ODS", "anything", 2],
    ["a.csv", "PK\u0003\u0004 and so on", 1],
    ["a.csv", Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), 1],
  ])("%s that is a workbook is refused with the way to save it", async (file, text, expected) => {
    const { importing } = place(text, file);
    expectFailure(await importing(), expected, "CSV UTF-8");
  });

  test("may leave out empty cells at the end of a row, but no field", async () => {
    const { cwd, importing } = await placed("name,category,status,notes\nBella,Dog,sold\nRex,Dog\n");
    const { error } = await importing();
    expect(error).toContain("line 3: has 2 cells; the header has 4");
    expect(animals(cwd)).toEqual(["Bella|1|sold"]);
  });
});

describe("a stopped import", () => {
  test("is not continued with other columns", async () => {
    const { cwd, importing } = await placed("name,other,category\nBella,Rex,Dog\n");
    await importing();
    using database = new Database(join(cwd, "data", "adoption-store.db"));
    // As if it had been killed after its rows.
    database.run("UPDATE imports SET finished_at = NULL");
    const other = ["--map", "other=name"];
    expectFailure(await importing(...other), 1, /read with other columns .*use the same --map/);
    expect((await importing("--map", "name=name")).code).toBe(0);
    expect(animals(cwd)).toEqual(["Bella|1|"]);
    expect((await importing(...other, "--again")).code).toBe(0);
    expect(animals(cwd)).toEqual(["Bella|1|", "Rex|1|"]);
  });
});

test.each([
  [["--value", "Rehomed=sold"], '--value: "Rehomed=sold" is not of the form'],
  [["--value", "name:a=b"], "is not of the form"],
  [["--value", "status:Rehomed=gone"], 'maps to "gone", which is not a status: use available, pending, sold'],
  [["--value", "category:Dog="], "maps to no category"],
  [["--encoding", "klingon"], '--encoding: "klingon" is not an encoding'],
  [["--map", "x=species"], "the fields are name, category"],
])("%j is wrong use", async (flags, message) => {
  const { cwd } = place("name,categoryId\nBella,1\n");
  writeFileSync(join(cwd, "a.csv"), "name,categoryId\nBella,1\n");
  expectFailure(await run(cwd, ["import", "a.csv", ...flags]), 2, message);
});

test("a status that --value maps to nothing is none", async () => {
  const { cwd, importing } = place("name,categoryId,status\nBella,1,n/a\n");
  expect((await importing("--value", "status:N/A=")).code).toBe(0);
  expect(animals(cwd)).toEqual(["Bella|1|"]);
});
