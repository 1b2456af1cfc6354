import type { CategoryAccess } from "./category-names.ts";
import {
  type Columns,
  type Field,
  type KeyField,
  assertMapped,
  columnsIn,
  fieldIndexes,
  guessColumns,
  ignoredNote,
  isRejectedFile,
  withNewFields,
} from "./columns.ts";
import type { Field as CustomField } from "../pets/fields/field.ts";
import { readCsv, readHeader, sampleRows } from "./csv-reader.ts";
import { keysIn, readNdjson } from "./ndjson-reader.ts";
import { type DateOrder, dateOrderOf } from "./profile-columns.ts";
import { type RejectedFormat, rejectedCsv, rejectedNdjson } from "./rejected-file.ts";
import { type Batch, type Position, START } from "./row.ts";
import {
  type Meaning,
  type RowReader,
  csvLayout,
  objectLayout,
  profileChecker,
  rowReader,
} from "./validate-row.ts";
import { type UnknownValues, type ValueMapping, valueTranslator } from "./value-mapping.ts";

export type Format = "csv" | "ndjson";

export interface FormatOptions {
  format: Format;
  delimiter: string | undefined;
  columns: Columns;
  values: readonly ValueMapping[];
  /** Names in CSV are read unchanged. Otherwise the guards of `export` are removed. */
  isRaw: boolean;
  /** Unknown columns become custom fields. */
  createsFields: boolean;
  /** Undefined: the file tells. */
  dates: DateOrder | undefined;
  /** ISO 4217: the currency of fees without one. Undefined: each fee needs one. */
  currency: string | undefined;
}

/** The column of each field. */
export type FieldColumns = Readonly<Partial<Record<Field, string>>>;

/** How to read the rows of one file, and how to write rejected ones. */
export interface FileFormat extends RowReader {
  /** The field that finds the animals of rows, for an update. */
  key: KeyField | undefined;
  firstRow: Position;
  batches(rest: AsyncIterable<Buffer>, position: Position): AsyncGenerator<Batch>;
  rejected: RejectedFormat;
  /** True for a file of rejected rows. */
  isRejectedFile: boolean;
  columns: FieldColumns;
  /** All columns, with their fields. */
  header: readonly { name: string; field: Field | undefined }[];
  /** Custom fields that the file needs and the store does not have. */
  newFields: readonly CustomField[];
  /** The guesses and omissions that were necessary to read the file. */
  notes: string[];
  /** Names the columns that are not read; undefined without any. */
  ignored(): string | undefined;
}

const defined = (texts: readonly (string | undefined)[]): string[] =>
  texts.filter((text) => text !== undefined);

/** What rows mean, if their dates have this order. */
type MeaningOf = (customFields: readonly CustomField[], dates: DateOrder | undefined) => Meaning;

/** The order of day and month that the first rows of a file show, and a note about it. */
const findDateOrder = (
  rows: readonly string[][],
  columns: Columns,
  indexes: Readonly<Partial<Record<Field, number>>>,
): { dates: DateOrder | undefined; note: string | undefined } => {
  const places = [...columns.profileColumns].flatMap(([field, { isDate }]) =>
    isDate && indexes[field] !== undefined ? [indexes[field]] : [],
  );
  const texts = rows.flatMap((cells) => places.map((place) => (cells[place] ?? "").trim()));
  const shown = new Map(texts.map((text) => [dateOrderOf(text), text]));
  const orders = (["dmy", "mdy"] as const).filter((order) => shown.has(order));
  const [dates] = orders;
  if (dates === undefined || orders.length > 1 || !shown.has("ambiguous"))
    return { dates: undefined, note: undefined };
  const note = `dates are in the order ${dates}, as in ${shown.get(dates)}; choose the other with --dates`;
  return { dates, note };
};

/** The columns with their guesses, and with the new custom fields that the user asks for. */
const resolveColumns = (
  header: readonly string[],
  wanted: Columns,
  { createsFields }: FormatOptions,
  kindOf: Parameters<typeof withNewFields>[2] = () => "text",
): { columns: Columns; newFields: readonly CustomField[]; notes: string[] } => {
  assertMapped(header, wanted);
  const { columns, note } = guessColumns(header, columnsIn(header, wanted));
  const ids = columns.ignoresIds ? '"id" is not read: new animals get new ids' : undefined;
  const notes = defined([note, ids]);
  return createsFields
    ? { ...withNewFields(header, columns, kindOf), notes }
    : { columns, newFields: [], notes };
};

const readCsvFormat = (options: FormatOptions, head: Buffer, meaningOf: MeaningOf): FileFormat => {
  const { delimiter, columns: wanted, isRaw } = options;
  const header = readHeader(head, wanted, delimiter);
  const { columns, newFields, notes } = resolveColumns(header.cells, wanted, options);
  const indexes = fieldIndexes(header.cells, columns);
  const fieldAt = new Map(Object.entries(indexes).map(([field, index]) => [index, field as Field]));
  const unnamed = new Set<number>();
  const found = findDateOrder(options.dates ? [] : sampleRows(head, header), columns, indexes);
  const meaning = meaningOf(columns.customFields, options.dates ?? found.dates);
  return {
    ...rowReader(csvLayout({ indexes, columns, header: header.cells, isRaw, unnamed }), meaning),
    key: columns.key,
    firstRow: header.end,
    batches: (rest, position) => readCsv(rest, position, header.delimiter),
    rejected: rejectedCsv(header.cells, header.delimiter),
    isRejectedFile: isRejectedFile(header.cells),
    columns: Object.fromEntries(
      columns.fields.flatMap((field) =>
        indexes[field] === undefined ? [] : [[field, header.cells[indexes[field]]]],
      ),
    ),
    header: header.cells.map((name, index) => ({ name, field: fieldAt.get(index) })),
    newFields,
    notes: defined([
      header.titles > 0 ? `the header is on line ${header.end.lines}; earlier lines were skipped` : undefined,
      ...notes,
      found.note,
    ]),
    ignored: () =>
      ignoredNote(
        "columns",
        [...header.cells.filter(columns.isUnknown), ...[...unnamed].map((place) => `column ${place + 1}`)],
        options.createsFields,
      ),
  };
};

const readNdjsonFormat = (options: FormatOptions, head: Buffer, meaningOf: MeaningOf): FileFormat => {
  const unknownKeys = new Set<string>();
  const kinds = keysIn(head);
  const keys = [...kinds.keys()];
  const { columns, newFields, notes } = resolveColumns(keys, options.columns, options, (key) =>
    kinds.get(key),
  );
  return {
    ...rowReader(objectLayout(columns, unknownKeys), meaningOf(columns.customFields, options.dates)),
    key: columns.key,
    firstRow: START,
    batches: readNdjson,
    rejected: rejectedNdjson,
    isRejectedFile: isRejectedFile(keys),
    columns: Object.fromEntries(
      columns.mappings.flatMap(([column, role]) => (role === "ignore" ? [] : [[role, column]])),
    ),
    header: keys.map((name) => ({ name, field: columns.fieldOf(name) })),
    newFields,
    notes,
    ignored: () => ignoredNote("fields", [...unknownKeys], options.createsFields),
  };
};

/** Reads how the file with this head is laid out. @throws FileRefused */
export const readFormat = (
  options: FormatOptions,
  head: Buffer,
  { names: categories, create }: Pick<CategoryAccess, "names" | "create">,
  unknown: UnknownValues,
  now: number,
): FileFormat => {
  const translate = valueTranslator(options.values);
  const meaningOf: MeaningOf = (customFields, dates) => ({
    categories,
    translate,
    unknown,
    createsCategories: create !== undefined,
    conventions: { dates, currency: options.currency },
    checkProfile: profileChecker(customFields, now),
  });
  return (options.format === "ndjson" ? readNdjsonFormat : readCsvFormat)(options, head, meaningOf);
};
