import { oneLine } from "../../lib/text.ts";
import { heading, print, printJson } from "./output.ts";

const GAP = "  ";
const ELLIPSIS = "…";
/** Columns stay at least this wide, even if the table is then wider than the terminal. */
const MIN_COLUMN_WIDTH = 8;

/** Cuts text to a display width. */
const cut = (text: string, width: number): string => {
  if (Bun.stringWidth(text) <= width) return text;
  let start = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (Bun.stringWidth(start + segment) > width - ELLIPSIS.length) break;
    start += segment;
  }
  return start + ELLIPSIS;
};

/** Narrows the widest column step by step until the table fits. */
const fit = (widths: readonly number[], available: number): number[] => {
  const fitted = [...widths];
  const total = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  for (let excess = total - available; excess > 0; excess--) {
    const widest = Math.max(...fitted);
    if (widest <= MIN_COLUMN_WIDTH) break;
    fitted[fitted.indexOf(widest)] = widest - 1;
  }
  return fitted;
};

/**
 * Lines of text in columns; the first row is their heading. Control characters in cells are escaped.
 * @param width of the terminal: cells are cut to fit; without it they are whole
 */
export const table = (untrusted: readonly (readonly string[])[], width = Infinity): string => {
  const rows = untrusted.map((row) => row.map(oneLine));
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => Bun.stringWidth(row[column] ?? ""))),
  );
  const fitted = fit(widths, width);
  const lineOf = (row: readonly string[]) =>
    row
      .map((cell, column) => cut(cell, fitted[column] ?? 0))
      .map((cell, column) => cell + " ".repeat((fitted[column] ?? 0) - Bun.stringWidth(cell)))
      .join(GAP)
      .trimEnd();
  return rows.map(lineOf).join("\n");
};

/** The columns of a list: a function from row to cell text, by heading. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string>>;

/** Prints the rows as JSON, or as a table that fits the terminal. @param empty printed instead of an empty table */
export const printList = <Row>(
  rows: readonly Row[],
  columns: Columns<Row>,
  { json, empty }: { json: boolean | undefined; empty: string },
): void => {
  if (json) return printJson(rows);
  if (rows.length === 0) return print(empty);
  const cells = rows.map((row) => Object.values(columns).map((cellOf) => cellOf(row)));
  const width = process.stdout.isTTY ? process.stdout.columns : undefined;
  const [first = "", ...rest] = table([Object.keys(columns), ...cells], width).split("\n");
  print([heading(first), ...rest].join("\n"));
};

interface Page<Row, Cursor> {
  items: readonly Row[];
  /** Undefined on the last page. */
  next: Cursor | undefined;
}

/** The rows of all pages of a list. */
export const allPages = async <Row, Cursor>(
  fetchPage: (cursor: Cursor | undefined) => Promise<Page<Row, Cursor>>,
): Promise<Row[]> => {
  const rows: Row[] = [];
  for (let cursor: Cursor | undefined; ;) {
    const { items, next } = await fetchPage(cursor);
    rows.push(...items);
    if (next === undefined) return rows;
    cursor = next;
  }
};
