/** The fields of an animal that a file can bring. */
export const FIELDS = ["name", "categoryId", "status"] as const;
export type Field = (typeof FIELDS)[number];
const REQUIRED: readonly Field[] = ["name", "categoryId"];

/** What exports and files of rejected rows have besides: known, and not read. */
const IGNORED_COLUMNS: ReadonlySet<string> = new Set(["id", "line", "reason"]);

/** True if these are columns of a file of rejected rows. */
export const isRejectedFile = (columns: readonly string[]): boolean => {
  const names = new Set(columns.map(normalize));
  return names.has("line") && names.has("reason");
};

/** The file cannot be imported as it is; the message says what was found and what to do. */
export class FileRefused extends Error {
  override name = "FileRefused";
}

/** Which column of a file is which field: by the names of its columns, in any spelling. */
export interface Columns {
  /** The field of a column. */
  fieldOf(column: string): Field | undefined;
  /** True for a column that nothing is known of. */
  isUnknown(column: string): boolean;
  /** What the user says of columns that are not there. */
  missing(header: readonly string[]): string[];
}

/** `Category ID`, `category_id` and `categoryId` are one. */
export const normalize = (column: string): string => column.toLowerCase().replace(/[\s_-]/g, "");

const FIELD_OF: ReadonlyMap<string, Field> = new Map(FIELDS.map((field) => [normalize(field), field]));

/** `Animal Name=name` as a column and its field; undefined if it is none. */
export const parseMapping = (text: string): [column: string, field: Field] | undefined => {
  const at = text.lastIndexOf("=");
  const field = FIELD_OF.get(normalize(text.slice(at + 1)));
  return at > 0 && field ? [text.slice(0, at), field] : undefined;
};

/** Columns by their names, and by what the user says of them; that goes first, and then no other is that field. */
export const columnsOf = (mappings: readonly (readonly [column: string, field: Field])[] = []): Columns => {
  const mapped = new Map(mappings.map(([column, field]) => [normalize(column), field]));
  const taken = new Set(mapped.values());
  const fieldOf = (column: string) => {
    const name = normalize(column);
    const field = FIELD_OF.get(name);
    return mapped.get(name) ?? (field && !taken.has(field) ? field : undefined);
  };
  return {
    fieldOf,
    isUnknown: (column) => !fieldOf(column) && !IGNORED_COLUMNS.has(normalize(column)),
    missing(header) {
      const names = new Set(header.map(normalize));
      return mappings.map(([column]) => column).filter((column) => !names.has(normalize(column)));
    },
  };
};

/** Where the fields of a row are. */
export type FieldIndexes = Readonly<Partial<Record<Field, number>>>;

const MAX_NAMED = 20;
const quoteNames = (columns: readonly string[]): string =>
  columns
    .slice(0, MAX_NAMED)
    .map((column) => JSON.stringify(column.slice(0, 64)))
    .join(", ") + (columns.length > MAX_NAMED ? `, and ${columns.length - MAX_NAMED} more` : "");

/** How many of the fields a header names. */
export const countFields = (header: readonly string[], { fieldOf }: Columns): number =>
  new Set(header.map(fieldOf).filter(Boolean)).size;

/** Finds the fields in a header. @throws FileRefused if a required one or one that is mapped is missing, or two are the same */
export const fieldIndexes = (
  header: readonly string[],
  { fieldOf, missing: missingIn }: Columns,
): FieldIndexes => {
  const [unmet] = missingIn(header);
  if (unmet !== undefined)
    throw new FileRefused(
      `there is no column ${quoteNames([unmet])}, which --map names; found ${quoteNames(header)}`,
    );
  const places: Partial<Record<Field, number>> = {};
  header.forEach((column, place) => {
    const field = fieldOf(column);
    if (!field) return;
    const before = places[field];
    if (before !== undefined)
      throw new FileRefused(
        `the columns ${quoteNames([header[before] ?? "", column])} are both ${field}; choose one: --map "${column}=${field}"`,
      );
    places[field] = place;
  });
  const missing = REQUIRED.filter((field) => places[field] === undefined);
  if (missing.length > 0)
    throw new FileRefused(
      `no column is ${missing.join(" or ")}; found ${quoteNames(header)}: --map "COLUMN=${missing[0]}" says which it is`,
    );
  return places;
};

/** Names unknown columns, for a note. */
export const unknownColumnsNote = (unknown: readonly string[]): string | undefined =>
  unknown.length > 0 ? `not imported, as nothing here is called so: ${quoteNames(unknown)}` : undefined;
