import { type ValidationResult, validateFields, valuesOfCells } from "./validate-row.ts";
import { unguardFormula } from "./csv-writer.ts";
import { type Columns, type Field, type FieldIndexes } from "./columns.ts";
import { UnreadableRow, type Row } from "./row.ts";

/** Makes animals of the rows of one file. */
export type RowParser = (row: Row) => ValidationResult;

/** How cells are read: where each field is, how many cells there are, and whether formulas are guarded. */
export interface CsvLayout {
  indexes: FieldIndexes;
  width: number;
  hasGuardedFormulas: boolean;
}

export const readCells =
  ({ indexes: places, width, hasGuardedFormulas: guarded }: CsvLayout): RowParser =>
  ({ content }) => {
    if (content instanceof UnreadableRow) return content.reason;
    const cells = content as string[];
    if (cells.length < width || cells.slice(width).some((cell) => cell !== ""))
      return `has ${cells.length} cells where the header has ${width}`;
    const { name = -1, categoryId = -1, status = -1 } = places;
    const text = cells[name] ?? "";
    return validateFields(
      valuesOfCells(guarded ? unguardFormula(text) : text, cells[categoryId] ?? "", cells[status] ?? ""),
    );
  };

/** Reads objects by their keys; `unknown` gathers those that are no field. */
export const readObjects =
  (columns: Columns, unknown: Set<string>): RowParser =>
  ({ content }) => {
    if (content instanceof UnreadableRow) return content.reason;
    const said: Partial<Record<Field, unknown>> = {};
    for (const [key, value] of Object.entries(content)) {
      const field = columns.fieldOf(key);
      if (field !== undefined && field in said) return `${field}: is there twice`;
      if (field !== undefined) said[field] = value;
      else if (unknown.size < MAX_UNKNOWN && columns.isUnknown(key)) unknown.add(key);
    }
    return validateFields(said);
  };

const MAX_UNKNOWN = 50;
