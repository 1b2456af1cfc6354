import { parse } from "csv-parse/sync";
import { type Columns, FileRefused } from "./columns.ts";
import { countFields, hasRequired } from "./guess.ts";
import { type Position, countLines } from "./row.ts";
import { HEAD_BYTES } from "./source.ts";

export const DELIMITERS = { comma: ",", semicolon: ";", tab: "\t", pipe: "|" } as const;

/** All of them: a file may be the concatenation of several. */
export const LINE_ENDS = ["\r\n", "\n", "\r"];

/** How many rows above the header may hold a title, a date or an address. */
const MAX_TITLE_ROWS = 10;

/** The row that names the columns. */
export interface Header {
  cells: string[];
  delimiter: string;
  end: Position;
  /** How many rows are above it. */
  titles: number;
}

/** Row `number` of a file, from 1; undefined if it cannot be read, or there is none. */
const rowAt = (head: Buffer, delimiter: string, number: number): Header | undefined => {
  try {
    const rows = parse(head, {
      delimiter,
      record_delimiter: LINE_ENDS,
      bom: true,
      to: number,
      info: true,
      skip_empty_lines: true,
      relax_column_count: true,
    }) as unknown as { record: string[]; info: { bytes: number } }[];
    const row = rows[number - 1];
    if (!row) return undefined;
    const { bytes } = row.info;
    const end = { bytes, lines: countLines(head, 0, bytes) };
    return { cells: row.record, delimiter, end, titles: number - 1 };
  } catch {
    return undefined;
  }
};

/** The first row that has all required fields, or else the first row. */
const headerWith = (head: Buffer, delimiter: string, columns: Columns): Header | undefined => {
  const first = rowAt(head, delimiter, 1);
  let row = first;
  for (let number = 2; row && number <= MAX_TITLE_ROWS + 2; number++) {
    if (hasRequired(row.cells, columns)) return row;
    row = rowAt(head, delimiter, number);
  }
  return first;
};

/**
 * Reads the header at the start of a file, and skips titles above it. Without a delimiter it takes the one with which the
 * header has the most fields, and then the most columns.
 * @throws FileRefused
 */
export const readHeader = (head: Buffer, columns: Columns, delimiter?: string): Header => {
  const candidates = delimiter === undefined ? Object.values(DELIMITERS) : [delimiter];
  const headers = candidates
    .map((candidate) => headerWith(head, candidate, columns))
    .filter((found) => found !== undefined);
  const score = ({ cells }: Header) => countFields(cells, columns) * 10_000 + cells.length;
  const [best] = headers.toSorted((one, other) => score(other) - score(one));
  if (!best)
    throw new FileRefused(
      "there is no header: the first line must name the columns, such as name,categoryId,status",
    );
  if (best.end.bytes >= HEAD_BYTES)
    throw new FileRefused(
      `the header is longer than ${HEAD_BYTES / 1024} KiB: the first line must name the columns, such as name,categoryId,status`,
    );
  return best;
};
