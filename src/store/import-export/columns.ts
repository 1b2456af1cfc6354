import { shellWord } from "../../lib/text.ts";

/**
 * The fields of an animal that a file can have. `category` is the name of a category, `categoryId` its id: a row needs one of
 * them, and the id counts if it has both.
 */
export const FIELDS = ["name", "categoryId", "category", "status"] as const;
export type Field = (typeof FIELDS)[number];

/** A column that is not read, although it has the name of a field. */
const IGNORE = "ignore";

/** The meaning of a column: a field, or nothing. */
type ColumnRole = Field | typeof IGNORE;

/** A column and its role, from `--map "Animal Name=name"` or from a guess. */
export type Mapping = readonly [column: string, role: ColumnRole];

/** Further columns of exports and of files of rejected rows. They are ignored. */
const IGNORED_COLUMNS: ReadonlySet<string> = new Set(["id", "line", "reason"]);

/** True for the columns of a file of rejected rows. */
export const isRejectedFile = (columns: readonly string[]): boolean => {
  const names = new Set(columns.map(normalize));
  return names.has("line") && names.has("reason");
};

/** The file cannot be imported as it is. The message names the problem and the remedy. */
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
const quoteNames = (columns: readonly string[]): string =>
  columns
    .slice(0, MAX_NAMED_COLUMNS)
    .map((column) => JSON.stringify(column.slice(0, 64)))
    .join(", ") +
  (columns.length > MAX_NAMED_COLUMNS ? `, and ${columns.length - MAX_NAMED_COLUMNS} more` : "");

/** The required fields that a file lacks, as the user maps it: `name`, or one of `category` and `categoryId`. */
const missingFields = (found: ReadonlySet<Field | undefined>): Field[] => [
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

/** A note that names the unknown columns or fields; undefined without any. */
export const ignoredNote = (kind: "columns" | "fields", unknown: readonly string[]): string | undefined =>
  unknown.length > 0 ? `ignored ${kind}: ${quoteNames(unknown)}` : undefined;

/** Names that shelters give to columns. A field's own name is not a guess. */
const SYNONYMS: Readonly<Record<"name" | "category" | "status", readonly string[]>> = {
  name: ["Animal Name", "Pet Name", "Name of Animal", "Name of Pet", "Animal's Name", "Pet's Name"],
  category: [
    "Species",
    "Type",
    "Animal Type",
    "Pet Type",
    "Animal Category",
    "Category Name",
    "Animal Species",
    "Species Name",
    "Type of Animal",
    "Kind",
  ],
  status: [
    "State",
    "Adoption Status",
    "Animal Status",
    "Pet Status",
    "Current Status",
    "Status Name",
    "Availability",
  ],
};

const GUESSED: ReadonlyMap<string, Field> = new Map(
  Object.entries(SYNONYMS).flatMap(([field, names]) =>
    names.map((name) => [normalize(name), field as Field]),
  ),
);

/** The fields of a header, with those that would be guessed. */
const fieldsIn = (header: readonly string[], { fieldOf, isUnknown }: Columns): Set<Field | undefined> =>
  new Set(
    header.map(
      (column) => fieldOf(column) ?? (isUnknown(column) ? GUESSED.get(normalize(column)) : undefined),
    ),
  );

/** How many fields a header has. */
export const countFields = (header: readonly string[], columns: Columns): number =>
  [...fieldsIn(header, columns)].filter(Boolean).length;

/** True if a header has every field that a row needs. */
export const hasRequired = (header: readonly string[], columns: Columns): boolean =>
  missingFields(fieldsIn(header, columns)).length === 0;

/** True if a field needs no guess: `categoryId` makes a guess for `category` unnecessary. */
const isFound = (field: Field, found: ReadonlySet<Field | undefined>): boolean =>
  found.has(field) || (field === "category" && found.has("categoryId"));

interface Guess {
  /** The columns, with each guess as a mapping. */
  columns: Columns;
  /** The guesses, and how to choose otherwise; undefined without any. */
  note: string | undefined;
}

/**
 * Guesses the fields that no column is named after and no mapping names.
 * @throws FileRefused if a field has several candidates
 */
export const guessColumns = (header: readonly string[], columns: Columns): Guess => {
  const found = new Set(header.map(columns.fieldOf));
  const candidates = Map.groupBy([...new Set(header)].filter(columns.isUnknown), (column) =>
    GUESSED.get(normalize(column)),
  );
  const guesses: Mapping[] = [];
  for (const [field, names] of candidates) {
    if (field === undefined || isFound(field, found)) continue;
    const [first = "", ...others] = names;
    if (others.length > 0)
      throw new FileRefused(
        `the columns ${quoteNames(names)} may all be the ${field}: choose one, such as --map ${shellWord(`${first}=${field}`)}`,
      );
    guesses.push([first, field]);
  }
  if (guesses.length === 0) return { columns, note: undefined };
  const told = guesses.map(([column, field]) => `${quoteNames([column])} is the ${field}`).join(", ");
  return {
    columns: columnsOf([...columns.mappings, ...guesses]),
    note: `guessed that ${told}; choose others with --map "COLUMN=FIELD"`,
  };
};
