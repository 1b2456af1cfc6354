import { oneLine } from "../../lib/text.ts";

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
