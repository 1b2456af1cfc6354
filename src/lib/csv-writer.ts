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

/** A formula begins with it (OWASP, CSV Injection), in every width. */
const FORMULA = /[=+\-@＝＋－＠﹦﹢﹣﹫\t\r\n]/;
/** What may precede a formula: white space, quotes, and guards, so that a guarded formula is one again. */
const PRECEDING = /['"\s]/;
/** Spreadsheets of other locales separate cells by `;`. */
const SEPARATOR = /[;\t\r\n]/;

/** The indexes where a cell begins that may be a formula. In one pass: a pattern takes quadratic time. */
const formulasIn = (text: string): number[] => {
  const found: number[] = [];
  let isFormula = false;
  for (let at = text.length - 1; at >= 0; at--) {
    const letter = text.charAt(at);
    isFormula = FORMULA.test(letter) || (isFormula && PRECEDING.test(letter));
    if (isFormula && (at === 0 || SEPARATOR.test(text.charAt(at - 1)))) found.push(at);
  }
  return found.toReversed();
};

/** Turns text that a spreadsheet would interpret as a formula into plain text: `=1+1` into `'=1+1`. `unguardFormula` restores it exactly. */
export const guardFormula = (text: string): string => {
  if (!FORMULA.test(text)) return text;
  const starts = formulasIn(text);
  return [0, ...starts].map((at, index) => text.slice(at, starts[index])).join("'");
};

export const unguardFormula = (text: string): string => {
  if (!text.includes("'")) return text;
  const guards = formulasIn(text).filter((at) => text.charAt(at) === "'");
  return [-1, ...guards].map((at, index) => text.slice(at + 1, guards[index])).join("");
};
