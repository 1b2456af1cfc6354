import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { blocksOf } from "../pages/manual/blocks.ts";
import { inProcessIn } from "./program.ts";
import { placing } from "./placed.ts";

const PAGE = join(import.meta.dir, "../../src/pages/manual/tutorials/a-shelters-spreadsheet.md");
const VALUES = ["--value", "status:On hold=pending", "--value", "status:Fostered=pending"];

type Row = Record<string, string>;

/** The sheet of the tutorial after its reader has corrected two rows. */
const sheet = (): string => {
  const file = blocksOf(readFileSync(PAGE, "utf8")).find(({ attributes }) => attributes["file"]);
  return `${file?.lines.join("\n")}\n`.replace("A-108,,", "A-108,Pip,").replace("Nala,,", "Nala,Cat,");
};

const STATUSES: Row = { available: "available", adopted: "sold", "on hold": "pending", fostered: "pending" };
const SEXES: Row = { F: "female", M: "male" };

/** The cell of an export for each column of the sheet, as a person would write it. */
const EXPORTED: Record<string, (cell: string) => [column: string, cell: string]> = {
  "Animal ID": (cell) => ["reference", cell],
  "Animal Name": (cell) => ["name", cell],
  Species: (cell) => ["category", cell.replace("dog", "Dog")],
  Breed: (cell) => ["breeds", cell],
  Sex: (cell) => ["sex", SEXES[cell] ?? ""],
  "Date of Birth": (cell) => ["birthDate", cell],
  Colour: (cell) => ["colour", cell],
  Size: (cell) => ["size", cell.toLowerCase()],
  Weight: (cell) => ["weightGrams", String(Math.round(Number(cell.replace(" kg", "")) * 1000))],
  Neutered: (cell) => ["neutered", cell === "Y" ? "yes" : "no"],
  "Intake Date": (cell) => ["arrivedOn", cell.split(".").toReversed().join("-")],
  Status: (cell) => ["status", STATUSES[cell.toLowerCase()] ?? ""],
  Notes: (cell) => ["notes", cell],
  Sponsor: (cell) => ["custom.sponsor", cell],
};

const rowsOf = (text: string, from = 1): Row[] => parse<Row>(text, { columns: true, from_line: from });

test("all 14 columns of the tutorial's spreadsheet survive an import, an export and another import", async () => {
  const text = sheet();
  const { cwd, importing } = placing(inProcessIn)(text, "animals.csv");
  expect((await importing("--create-categories", "--create-fields", ...VALUES)).code).toBe(0);
  const { out: exported } = await inProcessIn(cwd, ["export"]);
  const expected = rowsOf(text, 2).map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([column, cell]) => EXPORTED[column]?.(cell) ?? [column, cell]),
    ),
  );
  expect(Object.keys(expected[0] ?? {})).toHaveLength(14);
  const stored = rowsOf(exported).map(({ id: _id, categoryId: _categoryId, ...row }) => row);
  expect(stored).toEqual(expected);

  writeFileSync(join(cwd, "export.csv"), exported);
  const again = await inProcessIn(cwd, ["import", "export.csv", "--update", "--key", "Reference"]);
  expect(again.out).toContain("0 added, 0 changed, 10 unchanged, 0 rejected");
});
