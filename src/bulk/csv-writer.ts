const MUST_BE_QUOTED = /[",;\t\r\n]|^\s|\s$/;

/** A cell of CSV (RFC 4180). Cells with other common separators are quoted too, so that readers can tell separators apart. */
export const quote = (cell: string): string =>
  MUST_BE_QUOTED.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

const quoteFor = (cell = "", delimiter: string): string =>
  cell.includes(delimiter) && !MUST_BE_QUOTED.test(cell) ? `"${cell}"` : quote(cell);

export const csvLine = (cells: readonly string[], delimiter = ","): string => {
  let line = "";
  for (let index = 0; index < cells.length; index++)
    line += (index === 0 ? "" : delimiter) + quoteFor(cells[index], delimiter);
  return `${line}\n`;
};

// What spreadsheets take for a formula (OWASP, CSV Injection), and what `guardFormula` turns it into.
const FORMULA = /^'*[=+\-@\t\r]/;
const GUARDED = /^'+[=+\-@\t\r]/;

/** Turns text that a spreadsheet would compute into plain text: `=1+1` into `'=1+1`. `unguardFormula` restores it exactly. */
export const guardFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

export const unguardFormula = (text: string): string => (GUARDED.test(text) ? text.slice(1) : text);
