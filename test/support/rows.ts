/** Difficult names: quotes, separators, line ends, emoji, right-to-left text, formulas. */
const NAMES = [
  "Bella",
  'Max, the "Great"',
  '"quoted"',
  "🐶 Rex 👩‍👩‍👧",
  '=HYPERLINK("http://x","y")',
  "كلب سعيد",
  "می\u200cخواهم",
  "Zoë; semi",
  "@SUM(A1)",
  "-2+3",
  " lead",
  "'=x",
];
const CATEGORIES = ["9223372036854775807", "-9223372036854775808", "3", "0", "9007199254740993"];
const STATUSES = ["available", "Pending", "SOLD", ""];

const HEADER = "Animal Name,Category ID,STATUS,Note\r\n";

/** The flags to import the rows with. */
export const ROW_FLAGS = ["--map", "Animal Name=name"] as const;

/** True for an invalid row: a name with a line break, a category that is not a number, or broken CSV. */
export const isBad = (row: number): boolean => row % 50 === 7 || row % 1000 === 0;

/** Matches the line number and the beginning of the reason of each row in a file of rejected rows. */
export const REJECTED = /(?:,n|n",,,),(\d+),"?(?:name: |categoryId: |a quote is inside)/g;

/** The number of invalid rows among the first `rows`. */
export const countBad = (rows: number): number => {
  let bad = 0;
  for (let row = 1; row <= rows; row++) if (isBad(row)) bad++;
  return bad;
};

const lineOf = (row: number): string => {
  // Real files mix line ends and have blank lines, because people merge and edit them.
  const end = row % 11 === 0 ? "\n" : "\r\n";
  const blank = row % 700 === 0 ? `,,,${end}` : row % 900 === 0 ? end : "";
  if (row % 2000 === 0) return `Max "Maxi" ${row},3,sold,n${end}${blank}`;
  const name = row % 1000 === 0 ? `Line\nbreak ${row}` : `${NAMES[row % NAMES.length]} ${row}`;
  const category = row % 50 === 7 ? "x" : CATEGORIES[row % CATEGORIES.length];
  return `"${name.replaceAll('"', '""')}",${category},${STATUSES[row % STATUSES.length]},n${end}${blank}`;
};

/** Writes a CSV file of this many rows, each with a unique name, with blank rows in between. */
export const writeRows = async (path: string, rows: number): Promise<void> => {
  const writer = Bun.file(path).writer();
  await writer.write(HEADER);
  for (let row = 1; row <= rows; row++) {
    await writer.write(lineOf(row));
    if (row % 5000 === 0) await writer.flush();
  }
  await writer.end();
};
