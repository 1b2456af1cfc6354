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

/**
 * Reads a list of domains: one on each line, or CSV with the columns domain, project and role. A first line that names the
 * columns is skipped.
 * @throws Fault invalid_request if it is not CSV
 */
export const parseDomainList = (text: string): DomainRow[] => {
  // Loaded with the first list.
  const { parse } = require("csv-parse/sync") as typeof import("csv-parse/sync");
  const options = { bom: true, delimiter: [",", ";", "\t"], trim: true, relax_column_count: true };
  try {
    const rows: string[][] = parse(text, { ...options, skip_records_with_empty_values: true });
    const start = /^(domain|hostname)$/i.test(rows[0]?.[0] ?? "") ? 1 : 0;
    return rows.slice(start).map(([hostname = "", project, role]) => ({
      hostname,
      project: project || undefined,
      role: role || undefined,
    }));
  } catch (error) {
    // The message can end with a cell of any length.
    const reason = (error as Error).message.replace(/, value is .*/s, "");
    throw new Fault("invalid_request", `The list is not valid CSV: ${reason}`);
  }
};
