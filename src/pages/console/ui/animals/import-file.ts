import { csvLine, guardFormula } from "../../../../lib/csv-writer.ts";
import type { components } from "../../../../client/types/store.d.ts";
import { type Options as Choices, formatCount, pluralize } from "../parts/wording.ts";
import { STATUS_OPTIONS } from "./animal.ts";
import { ANSWERS, type Member, profileDraftOf } from "./profile.ts";

export type Report = components["schemas"]["ImportReport"];
export type Import = components["schemas"]["Import"];
type RejectedRow = Report["rejectedRows"][number];
type Column = Report["columns"][number];

/** The API's limit. */
const MAX_BYTES = 25 * 2 ** 20;

/** The remedy for a file that the console cannot import; undefined if it can. */
export const adviceFor = ({ name, size }: { name: string; size: number }): string | undefined => {
  if (/\.(xls[xmb]?|ods|numbers)$/i.test(name))
    return "This is a spreadsheet, not a CSV file. Open it in your spreadsheet program, save it as CSV UTF-8, and choose the new file.";
  if (size <= MAX_BYTES) return undefined;
  return "This file is larger than 25 MB. Import it on the server with the command: adoption-store import";
};

/**
 * Decodes UTF-8, UTF-16 with a byte order mark, or else windows-1252, the plain CSV of Excel: then it is a guess. The mark of
 * UTF-8 stays, because the API recognizes a file by its bytes.
 */
export const decode = (bytes: Uint8Array): { text: string; isGuess: boolean } => {
  const mark = `${bytes[0]} ${bytes[1]}`;
  const encoding = mark === "255 254" ? "utf-16le" : mark === "254 255" ? "utf-16be" : "utf-8";
  try {
    return {
      text: new TextDecoder(encoding, { fatal: true, ignoreBOM: encoding === "utf-8" }).decode(bytes),
      isGuess: false,
    };
  } catch {
    return { text: new TextDecoder("windows-1252").decode(bytes), isGuess: true };
  }
};

/** A row of a text: its cells as they are written and as they are read, and its place without the line end. */
interface Row {
  cells: readonly { raw: string; value: string }[];
  start: number;
  end: number;
}

const DELIMITERS = [",", ";", "\t", "|"];

/** The row of CSV (RFC 4180) that begins at an index; undefined if a quote is out of place. */
const rowAt = (text: string, start: number, delimiter: string): Row | undefined => {
  const cell = `"([^"]*(?:""[^"]*)*)"|([^"\\r\\n${delimiter}]*)`;
  const pattern = new RegExp(`(?:${cell})([${delimiter}]|\\r|\\n|$)`, "y");
  pattern.lastIndex = start;
  const cells = [];
  for (let from = start; ; from = pattern.lastIndex) {
    const [all, quoted, plain = "", end = ""] = pattern.exec(text) ?? [];
    if (all === undefined) return undefined;
    const raw = all.slice(0, all.length - end.length);
    cells.push({ raw, value: quoted?.replaceAll('""', '"') ?? plain });
    if (end !== delimiter) return { cells, start, end: from + raw.length };
  }
};

/** The indexes where the first lines begin. */
const lineStarts = (text: string, count: number): number[] => {
  const starts = [0];
  for (const { 0: end, index } of text.matchAll(/\r\n|\r|\n/g)) {
    if (starts.length >= count) break;
    starts.push(index + end.length);
  }
  return starts;
};

/** A line as a row of one cell. */
const lineAt = (text: string, start: number): Row => {
  const length = text.slice(start).search(/[\r\n]|$/);
  const raw = text.slice(start, start + length);
  return { cells: [{ raw, value: raw }], start, end: start + length };
};

/** A rejected row and its position in the text. */
export interface FoundRow extends RejectedRow {
  /** Undefined if the text has something else there. */
  row?: Row;
  /** Undefined if the only cell is a line that is not CSV. */
  delimiter?: string;
}

/** Finds rejected rows in the text that was checked. */
export const findRows = (text: string, rejected: readonly RejectedRow[], isJson: boolean): FoundRow[] => {
  const starts = lineStarts(text, Math.max(...rejected.map(({ line }) => line)));
  return rejected.map((one) => {
    const isSame = (row: Row | undefined): row is Row =>
      JSON.stringify(row?.cells.map(({ value }) => value)) === JSON.stringify(one.cells);
    const start = starts[one.line - 1] ?? text.length;
    const line = lineAt(text, start);
    if (isJson || isSame(line)) return { ...one, row: line };
    const delimiter = DELIMITERS.find((delimiter) => isSame(rowAt(text, start, delimiter)));
    return delimiter === undefined ? one : { ...one, row: rowAt(text, start, delimiter)!, delimiter };
  });
};

/** The values of a row's fields: its cells, and those that it lacks. */
export const valuesOf = ({ row, delimiter }: FoundRow, { columns }: Report): string[] => {
  const values = row?.cells.map(({ value }) => value) ?? [];
  return delimiter === undefined ? values : [...values, ...columns.slice(values.length).map(() => "")];
};

/** The label of a field. */
export const cellLabel = ({ delimiter }: FoundRow, { columns }: Report, index: number): string =>
  delimiter === undefined ? "Row" : (columns[index]?.name ?? `Column ${index + 1}`);

/** The text with other cells in some rows. Everything else stays, including the quotes of other cells. @param corrections by line */
export const rewrite = (text: string, rows: readonly FoundRow[], corrections: Corrections): string => {
  let at = 0;
  let rewritten = "";
  for (const { line, row, delimiter } of rows) {
    const values = corrections[line];
    if (!row || !values) continue;
    const cells = values.map((value, index) => {
      const { raw = "", value: before } = row.cells[index] ?? {};
      if (value === before || delimiter === undefined) return value === before ? raw : value;
      return raw.startsWith('"')
        ? `"${value.replaceAll('"', '""')}"`
        : csvLine([value], delimiter).slice(0, -1);
    });
    rewritten += text.slice(at, row.start) + cells.join(delimiter);
    at = row.end;
  }
  return rewritten + text.slice(at);
};

/** The cells of corrected rows, by their lines. */
export type Corrections = Readonly<Record<number, readonly string[]>>;

/** A title may stand above the names of the columns. */
const MAX_TITLES = 10;

/** The columns of a file that the API has refused: those of the first row with the most names. */
export const columnsOf = (text: string): Column[] => {
  const rows = lineStarts(text, MAX_TITLES).flatMap((start) =>
    DELIMITERS.map((delimiter) => rowAt(text, start, delimiter)?.cells ?? []),
  );
  const sizes = rows.map((cells) => cells.filter(({ value }) => value.trim() !== "").length);
  const header = rows[sizes.indexOf(Math.max(...sizes))] ?? [];
  return header.map(({ value }) => ({ name: value.replace(/^\uFEFF/, ""), field: "", samples: [] }));
};

/** The options of an import, by the names of the API. */
export const DEFAULTS = {
  createCategories: true,
  createFields: true,
  again: false,
  update: false,
  key: "",
  missing: "",
  confirmed: false,
  dates: "",
  currency: "",
  /** The field of each column that the user has mapped; "": the server decides. */
  map: {} as Readonly<Record<string, string>>,
  /** The meaning of each unknown word, which is `status:On hold`; "?": not known yet. */
  value: {} as Readonly<Record<string, string>>,
};

export type Options = typeof DEFAULTS;

export const UNKNOWN = "?";

/** The parameters of a request. Those of an update are left out of an import that only adds. */
export const queryOf = ({ map, value, key, missing, confirmed, ...options }: Options): string => {
  const query = new URLSearchParams();
  const given = { ...options, ...(options.update && { key, missing, confirmed }) };
  for (const [name, option] of Object.entries(given)) if (option) query.append(name, String(option));
  for (const [column, field] of Object.entries(map)) if (field) query.append("map", `${column}=${field}`);
  for (const [word, to] of Object.entries(value)) if (to !== UNKNOWN) query.append("value", `${word}=${to}`);
  return String(query);
};

/** The unknown words and those with a meaning, always in the same order. */
export const wordsOf = ({ value }: Options, report: Report | undefined): string[] => {
  const unknown = report?.unknownValues.map((one) => `${one.field}:${one.value}`) ?? [];
  return [...new Set([...Object.keys(value), ...unknown])].toSorted();
};

/** The column that an update most likely finds animals by. */
export const keyColumnOf = (columns: readonly Column[]): string =>
  [
    ...columns.filter(({ name }) => name === "id"),
    ...columns.filter(({ field }) => field === "reference"),
    ...columns.filter(({ name }) => /\b(id|no|number|code|reference)\b|#/i.test(name)),
    ...columns,
  ][0]?.name ?? "";

/** The field of a member in files: `goodWithDogs` for `goodWith.dogs`. */
const fieldOf = ({ name }: Member): string =>
  name.startsWith("custom.") ? name : name.replace(/\.(.)/, (_, letter: string) => letter.toUpperCase());

const OF_ANIMAL = {
  id: "No.",
  name: "Name",
  category: "Category",
  categoryId: "Category number",
  status: "Status",
};
/** Columns of files only. */
const OF_FILES = {
  weightGrams: "Weight in grams",
  weightKg: "Weight in kilograms",
  weightPounds: "Weight in pounds",
  weight: "Weight with its unit",
  noChildren: "Not good with children",
  noDogs: "Not good with dogs",
  noCats: "Not good with cats",
};

/** The fields that a column can be, with their labels. Others are those of new custom fields. */
export const fieldChoices = (members: readonly Member[]): Choices => {
  const fields = Object.fromEntries(members.map((member) => [fieldOf(member), member.label]));
  const others = { "": "Automatic", ignore: "Not imported" };
  return Object.entries({ ...others, ...OF_ANIMAL, ...fields, ...OF_FILES });
};

/** The meanings that a word of a field can have. @param categories their names */
export const meaningsOf = (field: string, members: readonly Member[], categories: readonly string[]) => {
  if (field === "status") return STATUS_OPTIONS;
  if (field === "category") return categories.map((name) => [name, name] as const);
  const member = members.find((one) => fieldOf(one) === field);
  if (member?.kind === "boolean") return ANSWERS.slice(0, 2);
  return member?.options ?? ANSWERS;
};

const FLAG = /('[^']*'|"[^"]*"|\S+)/.source;

/** The controls of the dialog, and how the API's texts name them. */
const CONTROLS = {
  createCategories: ["Create missing categories", /\bcreateCategories=true\b/],
  createFields: ["Import other columns as custom fields", /\bcreateFields=true\b/],
  again: ["Import this file again", /\bagain=true(?= to import)/],
  update: ["Update existing animals", new RegExp(`\\bupdate=true key=${FLAG}`)],
  confirmed: ["The file is complete", /\bconfirmed=true$/],
  dates: ["Order of dates", /\bdates=dmy or dates=mdy$|\bdates$/],
  currency: ["Currency", /\bcurrency, such as currency=EUR$/],
  map: ["Columns of the file", new RegExp(`\\bmap=${FLAG}( or map=${FLAG})?$`)],
} as const;

export type Control = keyof typeof CONTROLS;

export const labelOf = (control: Control): string => CONTROLS[control][0];

/** True if a text asks for a control. */
export const asksFor = (control: Control, texts: readonly string[]): boolean =>
  texts.some((text) => CONTROLS[control][1].test(text));

/** A text of the API, with the labels of controls instead of its parameters. */
export const withLabels = (text: string): string =>
  Object.values(CONTROLS)
    .reduce((words, [label, pattern]) => words.replace(pattern, `“${label}”`), text)
    .replace(/\badd (?=“)/, "use ")
    .replace(/^./u, (first) => first.toUpperCase());

/** The notes of a report, without those about guessed columns and unknown words, which have their own controls. */
export const notesOf = ({ notes }: Report): string[] =>
  notes.filter((note) => !/^guessed: |\bvalue=["']?[\w.]+:/.test(note)).map(withLabels);

/** The changes of an animal, in the words of its form. */
export const changeLines = (
  { id, changes = [] }: Report["preview"][number],
  members: readonly Member[],
): string[] => {
  if (id === undefined) return ["New"];
  const labels = new Map(fieldChoices(members));
  return changes.flatMap(({ member, from, to }) => {
    const [, custom] = member.split("custom.");
    const [before = {}, after = {}] = [from, to].map((value) =>
      profileDraftOf((custom ? { custom: { [custom]: value } } : { [member]: value }) as never, members),
    );
    const changed = members.filter(({ name }) => before[name] !== after[name]);
    return changed.length > 0
      ? changed.map(({ name, label }) => `${label}: ${before[name] || "–"} → ${after[name] || "–"}`)
      : // A member of the animal itself.
        `${labels.get(member) ?? member}: ${(from as string) ?? "–"} → ${(to as string) ?? "–"}`;
  });
};

type Counts = Pick<Import, "added" | "updated" | "unchanged" | "rejected" | "absent">;

/** The counts of an import, as a sentence. */
export const countsOf = (
  { added, updated, unchanged, rejected, absent, repeated = 0 }: Counts & { repeated?: number },
  isDry = false,
): string => {
  const would = isDry ? "would be " : "";
  const counts = [
    (added || !updated) && `${pluralize(added, "animal")} ${would}added`,
    updated && `${added ? formatCount(updated) : pluralize(updated, "animal")} ${would}changed`,
    unchanged && `${formatCount(unchanged)} unchanged`,
    rejected && `${pluralize(rejected, "row")} rejected`,
    repeated && `${pluralize(repeated, "repeated row")} skipped`,
    absent && `${pluralize(absent, "animal")} not in the file`,
  ];
  return `${counts.filter(Boolean).join(", ")}.`;
};

/** Rejected rows with their reasons, as the command `import` writes them: they can be corrected and imported. */
export const rejectedCsv = ({ columns, rejectedRows }: Report): string => {
  const rows = rejectedRows.map(({ line, reason, cells }) => [
    ...columns.map((_, index) => cells[index] ?? ""),
    String(line),
    guardFormula(reason),
  ]);
  return [[...columns.map(({ name }) => name), "line", "reason"], ...rows]
    .map((cells) => csvLine(cells))
    .join("");
};
