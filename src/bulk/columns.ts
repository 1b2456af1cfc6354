/** The fields of an animal that a file can have. */
export const FIELDS = ["name", "categoryId", "status"] as const;
export type Field = (typeof FIELDS)[number];
const REQUIRED: readonly Field[] = ["name", "categoryId"];

/** Further columns of exports and of files of rejected rows. They are ignored. */
const IGNORED_COLUMNS: ReadonlySet<string> = new Set(["id", "line", "reason"]);

/** True for the columns of a file of rejected rows. */
export const isRejectedFile = (columns: readonly string[]): boolean => {
  const names = new Set(columns.map(normalize));
  return names.has("line") && names.has("reason");
};

/** The file cannot be imported as it is. The message says what is wrong and what to do. */
export class FileRefused extends Error {
  override name = "FileRefused";
}

/** Makes `Category ID`, `category_id` and `categoryId` equal. */
export const normalize = (column: string): string => column.toLowerCase().replace(/[\s_-]/g, "");

const FIELD_OF: ReadonlyMap<string, Field> = new Map(FIELDS.map((field) => [normalize(field), field]));

/** Parses `Animal Name=name` into a column and its field; undefined if it is malformed. */
export const parseMapping = (text: string): [column: string, field: Field] | undefined => {
  const at = text.lastIndexOf("=");
  const field = FIELD_OF.get(normalize(text.slice(at + 1)));
  return at > 0 && field ? [text.slice(0, at), field] : undefined;
};

/**
 * Finds the fields of a file by the names of its columns, in any spelling. A user's mapping takes precedence over these names:
 * a mapped field is found in its mapped column only. Of several spellings of one name, the one in a mapping wins.
 */
export const columnsOf = (mappings: readonly (readonly [column: string, field: Field])[] = []) => {
  const exact = new Map(mappings);
  const mapped = new Map(mappings.map(([column, field]) => [normalize(column), field]));
  const mappedFields = new Set(mapped.values());
  const fieldOf = (column: string): Field | undefined => {
    const name = normalize(column);
    const field = FIELD_OF.get(name);
    return exact.get(column) ?? mapped.get(name) ?? (field && !mappedFields.has(field) ? field : undefined);
  };
  return {
    fieldOf,
    /** True for a column that a mapping spells exactly so. */
    isExact: (column: string): boolean => exact.has(column),
    /** True for a column that is neither a field nor ignored. */
    isUnknown: (column: string): boolean => !fieldOf(column) && !IGNORED_COLUMNS.has(normalize(column)),
    /** The mapped columns that the header does not have. */
    findMissing(header: readonly string[]): string[] {
      const names = new Set(header.map(normalize));
      return mappings.map(([column]) => column).filter((column) => !names.has(normalize(column)));
    },
  };
};

export type Columns = ReturnType<typeof columnsOf>;

/** The index of each field in a row. */
export type FieldIndexes = Readonly<Partial<Record<Field, number>>>;

const MAX_NAMED_COLUMNS = 20;
const quoteNames = (columns: readonly string[]): string =>
  columns
    .slice(0, MAX_NAMED_COLUMNS)
    .map((column) => JSON.stringify(column.slice(0, 64)))
    .join(", ") +
  (columns.length > MAX_NAMED_COLUMNS ? `, and ${columns.length - MAX_NAMED_COLUMNS} more` : "");

/** How many fields a header has. */
export const countFields = (header: readonly string[], { fieldOf }: Columns): number =>
  new Set(header.map(fieldOf).filter(Boolean)).size;

/** Finds the fields in a header. @throws FileRefused if a required or mapped column is missing, or two are the same field */
export const fieldIndexes = (
  header: readonly string[],
  { fieldOf, isExact, findMissing }: Columns,
): FieldIndexes => {
  const [unmapped] = findMissing(header);
  if (unmapped !== undefined)
    throw new FileRefused(
      `--map names the column ${quoteNames([unmapped])}, which the file does not have; found ${quoteNames(header)}`,
    );
  const indexes: Partial<Record<Field, number>> = {};
  header.forEach((column, index) => {
    const field = fieldOf(column);
    if (!field) return;
    const earlier = header[indexes[field] ?? -1];
    if (earlier === column)
      throw new FileRefused(`two columns are ${quoteNames([column])}; rename one of them`);
    if (earlier !== undefined && isExact(earlier) === isExact(column))
      throw new FileRefused(
        `the columns ${quoteNames([earlier, column])} are both ${field}; choose one: --map "${column}=${field}"`,
      );
    if (earlier === undefined || isExact(column)) indexes[field] = index;
  });
  const missing = REQUIRED.filter((field) => indexes[field] === undefined);
  if (missing.length > 0)
    throw new FileRefused(
      `no column matches ${missing.join(" or ")}; found ${quoteNames(header)}: map one with --map "COLUMN=${missing[0]}"`,
    );
  return indexes;
};

/** A note that names the unknown columns or fields; undefined if there are none. */
export const ignoredNote = (kind: "columns" | "fields", unknown: readonly string[]): string | undefined =>
  unknown.length > 0 ? `ignored ${kind}: ${quoteNames(unknown)}` : undefined;
