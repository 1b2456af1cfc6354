const MUST_BE_QUOTED = /[",;\t\r\n]|^\s|\s$/;

/** A cell of CSV (RFC 4180). Quoted also for other separators than the comma, so that they can be told apart. */
export const quote = (cell: string): string =>
  MUST_BE_QUOTED.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

/** A line of CSV. */
export const csvLine = (cells: readonly string[], delimiter = ","): string => {
  let line = "";
  for (let at = 0; at < cells.length; at++)
    line += (at === 0 ? "" : delimiter) + quoteFor(cells[at], delimiter);
  return `${line}\n`;
};

const quoteFor = (cell = "", delimiter: string): string =>
  cell.includes(delimiter) && !MUST_BE_QUOTED.test(cell) ? `"${cell}"` : quote(cell);

// What spreadsheets take for a formula (OWASP, CSV Injection), and what `guard` would make of one.
const FORMULA = /^'*[=+\-@\t\r]/;
const GUARDED = /^'+[=+\-@\t\r]/;

/** Makes plain text of what a spreadsheet would compute: `'=1+1`. `unguard` takes it back, to the letter. */
export const guardFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

export const unguardFormula = (text: string): string => (GUARDED.test(text) ? text.slice(1) : text);
