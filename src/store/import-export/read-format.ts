import type { CategoryAccess } from "./category-names.ts";
import {
  type Columns,
  type Field,
  FIELDS,
  assertMapped,
  fieldIndexes,
  guessColumns,
  ignoredNote,
  isRejectedFile,
} from "./columns.ts";
import { readCsv, readHeader } from "./csv-reader.ts";
import { keysIn, readNdjson } from "./ndjson-reader.ts";
import { type RejectedFormat, rejectedCsv, rejectedNdjson } from "./rejected-file.ts";
import { type Batch, type Position, type Row, START } from "./row.ts";
import { type Meaning, type RowValidator, csvRowValidator, objectRowValidator } from "./validate-row.ts";
import { type UnknownValues, type ValueMapping, valueTranslator } from "./value-mapping.ts";

export type Format = "csv" | "ndjson";

export interface FormatOptions {
  format: Format;
  delimiter: string | undefined;
  columns: Columns;
  values: readonly ValueMapping[];
  /** Names in CSV are read unchanged. Otherwise the guards of `export` are removed. */
  isRaw: boolean;
}

/** The column of each field. */
export type FieldColumns = Readonly<Partial<Record<Field, string>>>;

/** How to read the rows of one file, and how to write rejected ones. */
export interface FileFormat {
  firstRow: Position;
  batches(rest: AsyncIterable<Buffer>, position: Position): AsyncGenerator<Batch>;
  validate: RowValidator;
  rejected: RejectedFormat;
  /** True for a row of a file of rejected rows. */
  isFromRejectedFile(row: Row): boolean;
  columns: FieldColumns;
  /** The guesses and omissions that were necessary to read the file. */
  notes: string[];
  /** Names the columns that are not read; undefined without any. */
  ignored(): string | undefined;
}

const defined = (texts: readonly (string | undefined)[]): string[] =>
  texts.filter((text) => text !== undefined);

const readCsvFormat = (
  { delimiter, columns: wanted, isRaw }: FormatOptions,
  head: Buffer,
  meaning: Meaning,
): FileFormat => {
  const header = readHeader(head, wanted, delimiter);
  assertMapped(header.cells, wanted);
  const { columns, note } = guessColumns(header.cells, wanted);
  const indexes = fieldIndexes(header.cells, columns);
  return {
    firstRow: header.end,
    batches: (rest, position) => readCsv(rest, position, header.delimiter),
    validate: csvRowValidator({ indexes, width: header.cells.length, isRaw, ...meaning }),
    rejected: rejectedCsv(header.cells, header.delimiter),
    isFromRejectedFile: () => isRejectedFile(header.cells),
    columns: Object.fromEntries(
      FIELDS.flatMap((field) =>
        indexes[field] === undefined ? [] : [[field, header.cells[indexes[field]]]],
      ),
    ),
    notes: defined([
      header.titles > 0 ? `the header is on line ${header.end.lines}; earlier lines were skipped` : undefined,
      note,
    ]),
    ignored: () => ignoredNote("columns", header.cells.filter(columns.isUnknown)),
  };
};

const readNdjsonFormat = ({ columns: wanted }: FormatOptions, head: Buffer, meaning: Meaning): FileFormat => {
  const unknownKeys = new Set<string>();
  const { columns, note } = guessColumns(keysIn(head), wanted);
  return {
    firstRow: START,
    batches: readNdjson,
    validate: objectRowValidator(columns, unknownKeys, meaning),
    rejected: rejectedNdjson,
    isFromRejectedFile: ({ content }) => isRejectedFile(Object.keys(content)),
    columns: Object.fromEntries(columns.mappings.map(([column, role]) => [role, column])),
    notes: defined([note]),
    ignored: () => ignoredNote("fields", [...unknownKeys]),
  };
};

/** Reads how the file with this head is laid out. @throws FileRefused */
export const readFormat = (
  options: FormatOptions,
  head: Buffer,
  { names: categories, create }: Pick<CategoryAccess, "names" | "create">,
  unknown: UnknownValues,
): FileFormat => {
  const translate = valueTranslator(options.values);
  const meaning = { categories, translate, unknown, createsCategories: create !== undefined };
  return (options.format === "ndjson" ? readNdjsonFormat : readCsvFormat)(options, head, meaning);
};
