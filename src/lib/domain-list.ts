import { Fault } from "./errors.ts";

/** A domain to add, as a row of a list. */
export interface DomainRow {
  hostname: string;
  /** The slug of its project. */
  project?: string | undefined;
  role?: string | undefined;
}

/** Rows of one list. */
export const MAX_DOMAIN_ROWS = 1000;

const FIELDS: Readonly<Record<string, keyof DomainRow>> = {
  domain: "hostname",
  hostname: "hostname",
  project: "project",
  role: "role",
};

/** The columns of a list whose first line does not name them. */
const DEFAULT_COLUMNS = ["domain", "project", "role"];

const refuse = (message: string): Fault => new Fault("invalid_request", `The list ${message}`);

/** @throws Fault invalid_request if it is not CSV */
const cellsOf = (text: string): string[][] => {
  // Loaded with the first list.
  const { parse } = require("csv-parse/sync") as typeof import("csv-parse/sync");
  try {
    return parse(text, {
      bom: true,
      delimiter: [",", ";", "\t"],
      trim: true,
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
    });
  } catch (error) {
    throw refuse(`is not valid CSV: ${(error as Error).message}`);
  }
};

/**
 * Reads a list of domains: CSV, or one domain on each line. The first line can name the columns `domain`, `project` and `role`.
 * @throws Fault invalid_request for anything else
 */
export const parseDomainList = (text: string): DomainRow[] => {
  const lines = cellsOf(text);
  const names = (lines[0] ?? []).map((name) => name.toLowerCase());
  const hasHeader = names.some((name) => Object.hasOwn(FIELDS, name));
  const columns = hasHeader ? names : DEFAULT_COLUMNS;
  const unknown = columns.find((name) => !Object.hasOwn(FIELDS, name));
  if (unknown !== undefined)
    throw refuse(`has the column ${JSON.stringify(unknown)}. Its columns can be domain, project and role.`);
  return lines.slice(hasHeader ? 1 : 0).map((cells) => {
    if (cells.length > columns.length)
      throw refuse(`has a line with ${cells.length} cells. It has ${columns.length} columns.`);
    const fields = cells.flatMap((cell, at) => (cell === "" ? [] : [[FIELDS[columns[at] ?? ""], cell]]));
    return Object.fromEntries([["hostname", ""], ...fields]) as DomainRow;
  });
};
