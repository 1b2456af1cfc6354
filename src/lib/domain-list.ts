import { Fault } from "./errors.ts";
import { quoted } from "./text.ts";

/** A domain to add, as a row of a list. */
export interface DomainRow {
  hostname: string;
  /** The slug of its project. */
  project?: string | undefined;
  role?: string | undefined;
}

/** Rows of one list. */
export const MAX_DOMAIN_ROWS = 1000;

const COLUMNS = ["domain", "project", "role"];
const COLUMN_HINT = "The columns are domain, project and role.";

/** The columns in a header line; undefined if it is a row, whose project can be named `domain`. @throws Fault invalid_request for any other column */
const columnsIn = (first: readonly string[] = []): string[] | undefined => {
  const names = first.map((name) => name.toLowerCase().replace("hostname", "domain"));
  if (!names.includes("domain") || names.some((name) => name.includes("."))) return undefined;
  const unknown = names.find((name) => name !== "" && !COLUMNS.includes(name));
  if (unknown === undefined) return names;
  throw new Fault("invalid_request", `The list has a column ${quoted(unknown)}. ${COLUMN_HINT}`);
};

/**
 * Reads a list of domains: one per line, or CSV with the columns domain, project and role. An optional header line
 * names the columns, in any order.
 * @throws Fault invalid_request if it is not such a list
 */
export const parseDomainList = (text: string): DomainRow[] => {
  // Loaded with the first list.
  const { parse } = require("csv-parse/sync") as typeof import("csv-parse/sync");
  const options = { bom: true, delimiter: [",", ";", "\t"], trim: true, relax_column_count: true };
  let rows: { record: string[]; info: { lines: number } }[];
  try {
    rows = parse(text, {
      ...options,
      info: true,
      skip_records_with_empty_values: true,
    }) as unknown as typeof rows;
  } catch (error) {
    // The message can end with a cell of any length.
    const reason = (error as Error).message.replace(/, value is .*/s, "");
    throw new Fault("invalid_request", `The list is not valid CSV: ${reason}`);
  }
  const named = columnsIn(rows[0]?.record);
  return rows.slice(named ? 1 : 0).map(({ record: cells, info: { lines } }) => {
    if (cells.slice(COLUMNS.length).some((cell) => cell !== ""))
      throw new Fault("invalid_request", `Line ${lines} has ${cells.length} values. ${COLUMN_HINT}`);
    const cellOf = (name: string) => cells[(named ?? COLUMNS).indexOf(name)] || undefined;
    return { hostname: cellOf("domain") ?? "", project: cellOf("project"), role: cellOf("role") };
  });
};
