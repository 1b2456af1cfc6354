import { shellWord } from "../lib/text.ts";

/**
 * The fields of an animal that a file can have. `category` is the name of a category, `categoryId` its id: a row needs one of
 * them, and the id counts if it has both.
 */
export const FIELDS = ["name", "categoryId", "category", "status"] as const;
export type Field = (typeof FIELDS)[number];

/** A column that is not read, although it has the name of a field. */
const IGNORE = "ignore";

/** What a column is: a field, or nothing. */
export type ColumnRole = Field | typeof IGNORE;

/** A column and its role, from `--map "Animal Name=name"` or from a guess. */
export type Mapping = readonly [column: string, role: ColumnRole];

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
export const normalize = (column: string): string =>
  column
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, "");

const FIELD_OF: ReadonlyMap<string, Field> = new Map(FIELDS.map((field) => [normalize(field), field]));

/** Parses `Animal Name=name` into a column and its role; undefined if it is malformed. */
export const parseMapping = (text: string): Mapping | undefined => {
  const at = text.lastIndexOf("=");
  const name = normalize(text.slice(at + 1));
  const role = name === IGNORE ? IGNORE : FIELD_OF.get(name);
  return at > 0 && role ? [text.slice(0, at), role] : undefined;
};

/**
 * Finds the fields of a file by the names of its columns, in any spelling. A user's mapping takes precedence over these names:
 * a mapped field is found in its mapped column only. Of several spellings of one name, the one in a mapping wins.
 */
export const columnsOf = (mappings: readonly Mapping[] = []) => {
  const exact = new Map(mappings);
  const mapped = new Map(mappings.map(([column, role]) => [normalize(column), role]));
  const mappedFields = new Set(mapped.values());
  const roleOf = (column: string): ColumnRole | undefined => {
    const name = normalize(column);
    const field = FIELD_OF.get(name);
    return exact.get(column) ?? mapped.get(name) ?? (field && !mappedFields.has(field) ? field : undefined);
  };
  const fieldOf = (column: string): Field | undefined => {
    const role = roleOf(column);
    return role === IGNORE ? undefined : role;
  };
  return {
    mappings,
    fieldOf,
    /** True for a column that a mapping spells exactly so. */
    isExact: (column: string): boolean => exact.has(column),
    /** True for a column that has a name and no role. */
    isUnknown: (column: string): boolean =>
      column.trim() !== "" && roleOf(column) === undefined && !IGNORED_COLUMNS.has(normalize(column)),
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
export const quoteNames = (columns: readonly string[]): string =>
  columns
    .slice(0, MAX_NAMED_COLUMNS)
    .map((column) => JSON.stringify(column.slice(0, 64)))
    .join(", ") +
  (columns.length > MAX_NAMED_COLUMNS ? `, and ${columns.length - MAX_NAMED_COLUMNS} more` : "");

/** What a file must have, as the user maps it: `name`, and one of `category` and `categoryId`. */
export const missingFields = (found: ReadonlySet<Field | undefined>): Field[] => [
  ...(found.has("name") ? [] : ["name" as const]),
  ...(found.has("category") || found.has("categoryId") ? [] : ["category" as const]),
];

/** @throws FileRefused if a mapping names a column that the file does not have */
export const assertMapped = (header: readonly string[], { findMissing }: Columns): void => {
  const [unmapped] = findMissing(header);
  if (unmapped !== undefined)
    throw new FileRefused(
      `--map names the column ${quoteNames([unmapped])}, which the file does not have; found ${quoteNames(header)}`,
    );
};

/** Finds the fields in a header. @throws FileRefused if a required or mapped column is missing, or two are the same field */
export const fieldIndexes = (header: readonly string[], columns: Columns): FieldIndexes => {
  const { fieldOf, isExact } = columns;
  assertMapped(header, columns);
  const indexes: Partial<Record<Field, number>> = {};
  header.forEach((column, index) => {
    const field = fieldOf(column);
    if (!field) return;
    const earlier = header[indexes[field] ?? -1];
    if (earlier === column)
      throw new FileRefused(`two columns are ${quoteNames([column])}; rename one of them`);
    if (earlier !== undefined && isExact(earlier) === isExact(column))
      throw new FileRefused(
        `the columns ${quoteNames([earlier, column])} are both ${field}; choose one: --map ${shellWord(`${column}=${field}`)}`,
      );
    if (earlier === undefined || isExact(column)) indexes[field] = index;
  });
  const missing = missingFields(new Set(Object.keys(indexes) as Field[]));
  if (missing.length > 0)
    throw new FileRefused(
      `no column matches ${missing.join(" or ")}; found ${quoteNames(header)}: map one with --map "COLUMN=${missing[0]}"`,
    );
  return indexes;
};

/** A note that names the unknown columns or fields; undefined if there are none. */
export const ignoredNote = (kind: "columns" | "fields", unknown: readonly string[]): string | undefined =>
  unknown.length > 0 ? `ignored ${kind}: ${quoteNames(unknown)}` : undefined;
