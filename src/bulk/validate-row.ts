import { quantity } from "../lib/quantity.ts";
import { jsonInteger } from "../lib/json.ts";
import { newPetChecker, toNewPet } from "../pets/model.ts";
import type { NewPet } from "../pets/pet.ts";
import type { Columns, Field, FieldIndexes } from "./columns.ts";
import { unguardFormula } from "./csv-writer.ts";
import { type Row, UnreadableRow } from "./row.ts";

/** The animal of a row, or the reason why the row is rejected. */
type ValidationResult = NewPet | string;

/** Validates the rows of one file. */
export type RowValidator = (row: Row) => ValidationResult;

/** The values of the fields of a row; undefined where the row has none. */
type FieldValues = Partial<Record<Field, unknown>>;

const PLAIN_INTEGER = /^[+-]?[0-9]{1,40}$/;

/** A number that a spreadsheet has rounded (`9.2E+18`) stays text, which is refused as a category. */
const parseInteger = (cell: string): unknown => {
  const text = cell.trim();
  if (text.length <= 15 && PLAIN_INTEGER.test(text)) return Number(text);
  return PLAIN_INTEGER.test(text) ? jsonInteger(BigInt(text)) : text === "" ? undefined : text;
};

/** Empty cells have no value, and the case of a status makes no difference. */
const parseCells = (name: string, categoryId: string, status: string): FieldValues => ({
  name,
  categoryId: parseInteger(categoryId),
  status: status.trim().toLowerCase() || undefined,
});

/** Checks the values against the rules of `POST /v1/pets`. */
const validateFields = ({ name, categoryId, status }: FieldValues): ValidationResult => {
  const body: Record<string, unknown> = {};
  if (name !== undefined) body["name"] = name;
  if (categoryId !== undefined) body["categoryId"] = categoryId;
  if (status !== undefined && status !== null && status !== "") body["status"] = status;
  return newPetChecker.accepts(body) ? toNewPet(body) : newPetChecker.explain(body);
};

interface CsvLayout {
  indexes: FieldIndexes;
  /** How many cells the header has. */
  width: number;
  hasGuardedFormulas: boolean;
}

export const csvRowValidator =
  ({ indexes, width, hasGuardedFormulas }: CsvLayout): RowValidator =>
  ({ content }) => {
    if (content instanceof UnreadableRow) return content.reason;
    const cells = content as string[];
    if (cells.length < width || cells.slice(width).some((cell) => cell !== ""))
      return `has ${quantity(cells.length, "cell")}; the header has ${width}`;
    const { name = -1, categoryId = -1, status = -1 } = indexes;
    const text = cells[name] ?? "";
    return validateFields(
      parseCells(
        hasGuardedFormulas ? unguardFormula(text) : text,
        cells[categoryId] ?? "",
        cells[status] ?? "",
      ),
    );
  };

const MAX_UNKNOWN_KEYS = 50;

/** @param unknownKeys collects keys that are not fields */
export const objectRowValidator =
  (columns: Columns, unknownKeys: Set<string>): RowValidator =>
  ({ content }) => {
    if (content instanceof UnreadableRow) return content.reason;
    const values: FieldValues = {};
    for (const [key, value] of Object.entries(content)) {
      const field = columns.fieldOf(key);
      if (field !== undefined && field in values) return `${field}: is given twice`;
      if (field !== undefined) values[field] = value;
      else if (unknownKeys.size < MAX_UNKNOWN_KEYS && columns.isUnknown(key)) unknownKeys.add(key);
    }
    return validateFields(values);
  };
