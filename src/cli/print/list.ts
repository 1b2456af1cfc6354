import { heading } from "./colour.ts";
import { print, printJson } from "./output.ts";
import { table } from "./table.ts";

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
