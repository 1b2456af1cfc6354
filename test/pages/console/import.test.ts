import { expect, test } from "bun:test";
import {
  DEFAULTS,
  type Report,
  adviceFor,
  asksFor,
  cellLabel,
  changeLines,
  columnsOf,
  countsOf,
  decode,
  fieldChoices,
  findRows,
  keyColumnOf,
  meaningsOf,
  notesOf,
  queryOf,
  rejectedCsv,
  rewrite,
  valuesOf,
  withLabels,
  wordsOf,
} from "../../../src/pages/console/ui/animals/import-file.ts";
import { membersWith } from "../../../src/pages/console/ui/animals/profile.ts";

const bytes = (text: string, encoding: BufferEncoding) => new Uint8Array(Buffer.from(text, encoding));

test.each(["animals.xlsx", "ANIMALS.XLS", "animals.ods", "animals.numbers"])(
  "%s gets the advice to save it as CSV",
  (name) => {
    expect(adviceFor({ name, size: 1 })).toContain("save it as CSV UTF-8");
  },
);

test("a file of more than 25 MB gets the advice to use the command line", () => {
  expect(adviceFor({ name: "animals.csv", size: 25 * 2 ** 20 })).toBeUndefined();
  expect(adviceFor({ name: "animals.csv", size: 25 * 2 ** 20 + 1 })).toContain("adoption-store import");
});

test("a file is read as UTF-8, as UTF-16 with a byte order mark, or else as windows-1252", () => {
  expect(decode(bytes("\ufeffZoë", "utf8"))).toEqual({ text: "\ufeffZoë", isGuess: false });
  expect(decode(bytes("\ufeffZoë", "utf16le"))).toEqual({ text: "Zoë", isGuess: false });
  expect(decode(bytes("Zoë", "latin1"))).toEqual({ text: "Zoë", isGuess: true });
  expect(decode(Uint8Array.of(0x80)).text).toBe("€");
});

const rejected = (line: number, ...cells: string[]) => ({ line, cells, reason: "name: is empty" });

/** The text after corrections, each of which replaces the cells of a line. */
const corrected = (text: string, rows: Report["rejectedRows"], corrections: Record<number, string[]>) =>
  rewrite(text, findRows(text, rows, false), corrections);

test("a corrected row changes, and all others stay byte for byte", () => {
  const text = 'id;name;note\r\n"1";Bella;"sits; ""well"""\r\n2;;"two\r\nlines"\r\n\r\n3;;x';
  const rows = [rejected(3, "2", "", "two\r\nlines"), rejected(6, "3", "", "x")];
  expect(corrected(text, rows, { 3: ["2", "To; m", "two\r\nlines"], 6: ["3", "Pip", "x"] })).toBe(
    'id;name;note\r\n"1";Bella;"sits; ""well"""\r\n2;"To; m";"two\r\nlines"\r\n\r\n3;Pip;x',
  );
  expect(corrected(text, rows, {})).toBe(text);
});

test("a corrected cell keeps its quotes, and gets them if it needs them", () => {
  const said = 'name,note,said\n"",x,"a ""b"""\n';
  expect(corrected(said, [rejected(2, "", "x", 'a "b"')], { 2: ["Max", "x", 'a "b"'] })).toBe(
    'name,note,said\n"Max",x,"a ""b"""\n',
  );
  const text = 'name,note\r"",plain\r';
  const rows = [rejected(2, "", "plain")];
  expect(corrected(text, rows, { 2: ['Zoë "Z"', "a, b"] })).toBe('name,note\r"Zoë ""Z""","a, b"\r');
});

test("a row that is too short gets its missing cells", () => {
  expect(corrected("name\tnote\tx\nBella\t\n", [rejected(2, "Bella", "")], { 2: ["Bella", "", "y"] })).toBe(
    "name\tnote\tx\nBella\t\ty\n",
  );
});

test("a line that is not CSV is corrected as a whole", () => {
  const text = 'name,category\n"Bella" x,Dog\nRex,Dog\n';
  const rows = [rejected(2, '"Bella" x,Dog')];
  expect(corrected(text, rows, { 2: ["Bella,Dog"] })).toBe("name,category\nBella,Dog\nRex,Dog\n");
});

test("a line of NDJSON is corrected as a whole", () => {
  const text = '{"name":""}\n{"name":"Rex"}\n';
  const rows = findRows(text, [rejected(1, "")], true);
  expect(rewrite(text, rows, { 1: ['{"name":"Bella"}'] })).toBe('{"name":"Bella"}\n{"name":"Rex"}\n');
});

test("a row that is not at its line is not corrected", () => {
  const text = "name,category\nBella,Dog\n";
  const rows = findRows(text, [rejected(2, "Rex", "Dog"), rejected(9, "Rex", "Dog")], false);
  expect(rows.map(({ row }) => row)).toEqual([undefined, undefined]);
  expect(rewrite(text, rows, { 2: ["Max", "Dog"], 9: ["Max", "Dog"] })).toBe(text);
});

test("a rejected row has a field for each column, and for each of its cells", () => {
  const text = "name,note,sex\nBella,\nRex,,m,x\nrex\n";
  const report = { ...REPORT, columns: ["name", "note", "sex"].map((name) => column(name)) };
  const rows = findRows(
    text,
    [rejected(2, "Bella", ""), rejected(3, "Rex", "", "m", "x"), rejected(4, "rex")],
    false,
  );
  const fields = rows.map((row) =>
    valuesOf(row, report).map((value, at) => [cellLabel(row, report, at), value]),
  );
  expect(fields).toEqual([
    [
      ["name", "Bella"],
      ["note", ""],
      ["sex", ""],
    ],
    [
      ["name", "Rex"],
      ["note", ""],
      ["sex", "m"],
      ["Column 4", "x"],
    ],
    [["Row", "rex"]],
  ]);
});

test("the columns of a refused file are those of its first row with the most names", () => {
  const text = "Our animals; 2026;;\n\nTier;Art;Größe\nBella;Hund;groß\n";
  expect(columnsOf(text).map(({ name }) => name)).toEqual(["Tier", "Art", "Größe"]);
});

test("a request has the chosen options only", () => {
  expect(queryOf(DEFAULTS)).toBe("createCategories=true&createFields=true");
  const options = {
    ...DEFAULTS,
    createFields: false,
    key: "ID",
    missing: "delete",
    map: { Tier: "name", Art: "" },
    value: { "status:On hold": "pending", "status:Lost": "", "size:Toy": "?" },
  };
  const added = "map=Tier%3Dname&value=status%3AOn+hold%3Dpending&value=status%3ALost%3D";
  expect(queryOf(options)).toBe(`createCategories=true&${added}`);
  expect(queryOf({ ...options, update: true })).toBe(
    `createCategories=true&update=true&key=ID&missing=delete&${added}`,
  );
});

const column = (name: string, field: string | null = null) => ({ name, field, samples: [] });

test.each([
  ["the ids of an export", [column("reference", "reference"), column("id")], "id"],
  ["the column of references", [column("Name", "name"), column("Chip"), column("A", "reference")], "A"],
  ["a column with such a name", [column("Tier", "name"), column("Animal #")], "Animal #"],
  ["the first column", [column("Tier"), column("Art")], "Tier"],
])("an update finds animals by %s", (_, columns, key) => {
  expect(keyColumnOf(columns)).toBe(key);
});

const REPORT: Report = {
  read: 12,
  added: 1,
  updated: 0,
  unchanged: 0,
  repeated: 0,
  rejected: 2,
  absent: 0,
  blank: 0,
  columns: [column("Name", "name"), column("Art, Rasse")],
  createdCategories: [],
  createdFields: [],
  notes: [],
  preview: [],
  rejectedRows: [rejected(3, "Bella"), { line: 4, cells: ["-Rex", "Dog"], reason: "=1" }],
  unknownValues: [
    { field: "status", value: "On hold", rows: 3 },
    { field: "size", value: "Toy", rows: 1 },
  ],
  absentAnimals: [],
};

test("an unknown word keeps its place when it gets a meaning", () => {
  const words = ["size:Toy", "status:On hold"];
  expect(wordsOf(DEFAULTS, REPORT)).toEqual(words);
  const value = { "status:On hold": "pending" };
  expect(wordsOf({ ...DEFAULTS, value }, { ...REPORT, unknownValues: [REPORT.unknownValues[1]!] })).toEqual(
    words,
  );
});

const MEMBERS = membersWith([
  { id: 1, name: "coat", label: "Coat", kind: "choice", choices: ["long"], public: false, position: 0 },
]);

test("a column can be each field that a file can have", () => {
  const choices = new Map(fieldChoices(MEMBERS));
  expect(choices.get("goodWithDogs")).toBe("Good with dogs");
  expect(choices.get("custom.coat")).toBe("Coat");
  expect(choices.get("weightGrams")).toBe("Weight in grams");
  expect(choices.get("noDogs")).toBe("Not good with dogs");
});

test.each([
  ["status", ["", "available", "pending", "sold"]],
  ["category", ["Dog"]],
  ["size", ["small", "medium", "large", "extra_large"]],
  ["neutered", ["yes", "no"]],
  ["goodWithDogs", ["yes", "no", "unknown"]],
  ["noDogs", ["yes", "no", "unknown"]],
  ["custom.coat", ["long"]],
])("an unknown word of %s can mean %j", (field, meanings) => {
  expect(meaningsOf(field, MEMBERS, ["Dog"]).map(([value]) => value)).toEqual(meanings);
});

test.each([
  [
    'skipped columns: "Sponsor"; to keep them as custom fields, add createFields=true',
    'Skipped columns: "Sponsor"; to keep them as custom fields, use “Import other columns as custom fields”',
  ],
  [
    'the store has animals of this file: update them with update=true key="Animal ID"',
    "The store has animals of this file: update them with “Update existing animals”",
  ],
  [
    "add again=true to import all rows once more, again",
    "Use “Import this file again” to import all rows once more, again",
  ],
  [
    "if the file is complete, send the request again with confirmed=true",
    "If the file is complete, send the request again with “The file is complete”",
  ],
  [
    'of "3/4/2026" may be in either order: add dates=dmy or dates=mdy',
    'Of "3/4/2026" may be in either order: use “Order of dates”',
  ],
  ["has no currency: add currency, such as currency=EUR", "Has no currency: use “Currency”"],
  [
    "has no unit: add map='My weight=weightKg' or map='My weight=weightPounds'",
    "Has no unit: use “Columns of the file”",
  ],
  ['map one with map="COLUMN=name"', "Map one with “Columns of the file”"],
  ["name: is empty", "Name: is empty"],
])("the text %j names controls instead of parameters", (text, words) => {
  expect(withLabels(text)).toBe(words);
});

test("a control is shown once a text asks for it", () => {
  expect(asksFor("dates", ["dates are in the order dmy; choose the other with dates"])).toBe(true);
  expect(asksFor("dates", ["birthDate: must be a date", "no dates here"])).toBe(false);
});

test("the changes of an animal are in the words of its form", () => {
  const changes = [
    { member: "status", from: "available" },
    { member: "fee", from: { amount: 8000, currency: "EUR" }, to: { amount: 7050, currency: "EUR" } },
    { member: "goodWith", from: { dogs: "no" }, to: { dogs: "yes", cats: "no" } },
    { member: "custom.coat", to: "long" },
  ];
  expect(changeLines({ line: 2, name: "Bella" }, MEMBERS)).toEqual(["New"]);
  expect(changeLines({ line: 2, id: 1, name: "Bella", changes }, MEMBERS)).toEqual([
    "Status: available → –",
    "Fee: 80.00 EUR → 70.50 EUR",
    "Good with dogs: no → yes",
    "Good with cats: – → no",
    "Coat: – → long",
  ]);
});

test("notes that the dialog shows itself are left out", () => {
  const notes = [
    'guessed: "Species" as category; choose others with map="COLUMN=FIELD"',
    'no status is called "On hold" (1 row): add value="status:On hold=STATUS"',
    '"id" is not read: new animals get new ids',
  ];
  expect(notesOf({ ...REPORT, notes })).toEqual(['"id" is not read: new animals get new ids']);
});

test("the counts of an import are a sentence", () => {
  expect(countsOf(REPORT, true)).toBe("1 animal would be added, 2 rows rejected.");
  expect(countsOf({ added: 0, updated: 1234, unchanged: 5, rejected: 0, absent: 1, repeated: 6 })).toBe(
    "1,234 animals changed, 5 unchanged, 6 repeated rows skipped, 1 animal not in the file.",
  );
});

test("rejected rows can be downloaded, corrected and imported", () => {
  expect(rejectedCsv(REPORT)).toBe(
    'Name,"Art, Rasse",line,reason\nBella,,3,name: is empty\n-Rex,Dog,4,\'=1\n',
  );
});
