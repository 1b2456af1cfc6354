const MUST_BE_QUOTED = /[",;\t\r\n]|^\s|\s$/;

/** A cell of CSV (RFC 4180). Cells with other common separators are quoted too, so that readers detect the right separator. */
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

/**
 * The start of a formula (OWASP, CSV Injection), in every width. A formula can also start after a separator that
 * spreadsheets use in other locales. White space, quotes and guards may precede it, so a guarded formula matches again.
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=['"\s]*[=+\-@＝＋－＠﹦﹢﹣﹫\t\r\n])/g;
const GUARDED = new RegExp(`${FORMULA.source}'`, "g");

/** Turns text that a spreadsheet would interpret as a formula into plain text: `=1+1` into `'=1+1`. `unguardFormula` restores it exactly. */
export const guardFormula = (text: string): string => text.replaceAll(FORMULA, "'");

/** Longer than any guarded name. The pattern takes quadratic time, and import rejects longer cells anyway. */
const MAX_GUARDED_LENGTH = 1000;

export const unguardFormula = (text: string): string =>
  text.length > MAX_GUARDED_LENGTH ? text : text.replaceAll(GUARDED, "");
