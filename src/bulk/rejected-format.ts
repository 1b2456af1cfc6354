import { csvLine } from "./csv-writer.ts";
import { plain } from "./columns.ts";
import { Broken, type Row } from "./row.ts";

/** Writes rejected rows in the form of their file, so that they can be mended there and imported. */
export interface RejectedForm {
  /** What the file begins with. */
  heading: string;
  line(row: Row, reason: string): string;
}

const isOurs = (column: string): boolean => ["line", "reason"].includes(plain(column));

/** The columns of the file, then `line` and `reason`; those of a file of rejected rows are replaced. */
export const rejectedCsv = (header: readonly string[], delimiter: string): RejectedForm => {
  const kept = header.map((_, place) => place).filter((place) => !isOurs(header[place] ?? ""));
  const lineOf = (cells: readonly string[], line: string, reason: string) =>
    csvLine([...kept.map((place) => cells[place] ?? ""), line, reason], delimiter);
  return {
    heading: lineOf(header, "line", "reason"),
    line({ line, content }, reason) {
      const cells = content instanceof Broken ? [] : (content as string[]);
      if (content instanceof Broken && kept[0] !== undefined) cells[kept[0]] = content.text;
      // What is beyond the header has no column to stand in.
      const beyond =
        cells.length > header.length ? ` (beyond them: ${JSON.stringify(cells.slice(header.length))})` : "";
      return lineOf(cells, String(line), reason + beyond);
    },
  };
};

export const rejectedNdjson: RejectedForm = {
  heading: "",
  line({ line, content }, reason) {
    const row = content instanceof Broken ? { text: content.text } : content;
    return `${JSON.stringify({ ...row, line, reason })}\n`;
  },
};
