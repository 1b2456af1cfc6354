import { csvLine } from "../lib/csv-writer.ts";
import { normalize } from "./columns.ts";
import { UnreadableRow, type Row } from "./row.ts";

/** Writes rejected rows in the format of their file, so that they can be corrected and imported. */
export interface RejectedFormat {
  /** The start of the file. */
  heading: string;
  formatLine(row: Row, reason: string): string;
}

const isAddedColumn = (column: string): boolean => ["line", "reason"].includes(normalize(column));

/** The columns of the file, then `line` and `reason`. In a file of rejected rows they replace the columns of these names. */
export const rejectedCsv = (header: readonly string[], delimiter: string): RejectedFormat => {
  const indexes = header.map((_, index) => index).filter((index) => !isAddedColumn(header[index] ?? ""));
  const lineOf = (cells: readonly string[], line: string, reason: string) =>
    csvLine([...indexes.map((index) => cells[index] ?? ""), line, reason], delimiter);
  return {
    heading: lineOf(header, "line", "reason"),
    formatLine({ line, content }, reason) {
      const cells = content instanceof UnreadableRow ? [] : (content as string[]);
      if (content instanceof UnreadableRow && indexes[0] !== undefined) cells[indexes[0]] = content.text;
      // Cells beyond the header have no column: they go into the reason.
      const beyond =
        cells.length > header.length ? ` (beyond them: ${JSON.stringify(cells.slice(header.length))})` : "";
      return lineOf(cells, String(line), reason + beyond);
    },
  };
};

export const rejectedNdjson: RejectedFormat = {
  heading: "",
  formatLine({ line, content }, reason) {
    const row = content instanceof UnreadableRow ? { text: content.text } : content;
    return `${JSON.stringify({ ...row, line, reason })}\n`;
  },
};
