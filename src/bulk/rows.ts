import { type Verdict, judge, saidInCells } from "./validate-row.ts";
import { unguard } from "./csv-writer.ts";
import { type Columns, type Field, type Places } from "./columns.ts";
import { Broken, type Row } from "./row.ts";

/** Makes animals of the rows of one file. */
export type Reading = (row: Row) => Verdict;

/** How cells are read: where each field is, how many cells there are, and whether formulas are guarded. */
export interface CellRules {
  places: Places;
  width: number;
  guarded: boolean;
}

export const readCells =
  ({ places, width, guarded }: CellRules): Reading =>
  ({ content }) => {
    if (content instanceof Broken) return content.reason;
    const cells = content as string[];
    if (cells.length < width || cells.slice(width).some((cell) => cell !== ""))
      return `has ${cells.length} cells where the header has ${width}`;
    const { name = -1, categoryId = -1, status = -1 } = places;
    const text = cells[name] ?? "";
    return judge(saidInCells(guarded ? unguard(text) : text, cells[categoryId] ?? "", cells[status] ?? ""));
  };

/** Reads objects by their keys; `unknown` gathers those that are no field. */
export const readObjects =
  (columns: Columns, unknown: Set<string>): Reading =>
  ({ content }) => {
    if (content instanceof Broken) return content.reason;
    const said: Partial<Record<Field, unknown>> = {};
    for (const [key, value] of Object.entries(content)) {
      const field = columns.fieldOf(key);
      if (field !== undefined && field in said) return `${field}: is there twice`;
      if (field !== undefined) said[field] = value;
      else if (unknown.size < MAX_UNKNOWN && columns.isUnknown(key)) unknown.add(key);
    }
    return judge(said);
  };

const MAX_UNKNOWN = 50;
