import { shellWord } from "../../lib/text.ts";
import { type Field as CustomField, isReservedName, MAX_FIELDS } from "../pets/fields/field.ts";
import {
  columnsFor,
  type CustomName,
  headers,
  PROFILE_COLUMNS,
  type ProfileField,
} from "./profile-columns.ts";

/**
 * The fields of an animal that a file can have. `category` is the name of a category, `categoryId` its id: a row needs one of
 * them, and the id counts if it has both.
 */
const PET_FIELDS = ["name", "categoryId", "category", "status"] as const;

/** The fields that can find the animal of a row. */
export type KeyField = "id" | "reference";

export type Field = KeyField | (typeof PET_FIELDS)[number] | ProfileField | CustomName;

/** A column that is not read, although it has the name of a field. */
const IGNORE = "ignore";

/** The meaning of a column: a field, or nothing. */
type ColumnRole = Field | typeof IGNORE;

/** A column and its role, from `--map "Animal Name=name"` or from a guess. */
export type Mapping = readonly [column: string, role: ColumnRole];

/**
 * True for the columns with which every export begins, apart from those that other files spell so, too. A first line of NDJSON
 * that is longer than the head has no columns here: only an export has lines of that length.
 */
const isExport = (columns: readonly string[]): boolean =>
  columns.length === 0 || ["id", "name", "categoryId"].every((name) => columns.includes(name));

/** True for the columns of a file of rejected rows. */
export const isRejectedFile = (columns: readonly string[]): boolean => {
  const names = new Set(columns.map(normalize));
  return names.has("line") && names.has("reason");
};

/** The file cannot be imported as it is. The message names the problem and the remedy. */
export class FileRefused extends Error {
  override name = "FileRefused";
}

/** Makes `Category ID`, `category_id` and `categoryId` equal, and `Animal #` and `Animal Number`. */
export const normalize = (column: string): string =>
  column
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll("#", "number")
    .replace(/[^\p{L}\p{M}\p{N}]/gu, "");

const FIELD_OF: ReadonlyMap<string, Field> = new Map(
  [...PET_FIELDS, ...columnsFor([]).keys()].map((field) => [normalize(field), field]),
);

/** True for a column that has the name of its field, as in an export. */
export const isNamed = (column: string, field: Field): boolean => normalize(column) === normalize(field);

const isCustomName = (text: string): text is CustomName => /^custom\.[a-z][a-zA-Z0-9]*$/.test(text);

/** Parses `Animal Name=name` into a column and its role; undefined if it is malformed. */
export const parseMapping = (text: string): Mapping | undefined => {
  const at = text.lastIndexOf("=");
  const name = normalize(text.slice(at + 1));
  const custom = text.slice(at + 1).trim();
  const role = name === IGNORE || name === "id" ? name : isCustomName(custom) ? custom : FIELD_OF.get(name);
  return at > 0 && role ? [text.slice(0, at), role] : undefined;
};

/** The label of the custom field for a column. */
const labelOf = (column: string): string => column.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S}]+/gu, " ").trim();

const customName = ({ name }: CustomField): CustomName => `custom.${name}`;

/**
 * Finds the fields of a file by the names of its columns, in any spelling. A user's mapping takes precedence over these names:
 * a mapped field is found in its mapped column only. Of several spellings of one name, the one in a mapping wins.
 * @param key the field that finds the animals of rows, for an import that updates them
 */
export const columnsOf = (
  mappings: readonly Mapping[] = [],
  customFields: readonly CustomField[] = [],
  key?: KeyField,
) => {
  // The last entry counts: `custom.coat` is the field `coat`, even if another is called `customCoat`.
  const custom = new Map(
    [({ label }: CustomField) => label, ({ name }: CustomField) => name, customName].flatMap((textOf) =>
      customFields.map((field) => [normalize(textOf(field)), customName(field)] as const),
    ),
  );
  /** Several labels may be the same apart from their spelling. */
  const labels = new Map(
    customFields
      .filter(({ label }) => !isCustomName(label))
      .map((field) => [field.label, customName(field)] as const),
  );
  const profileColumns = columnsFor(customFields);
  const exact = new Map(mappings);
  const mapped = new Map(mappings.map(([column, role]) => [normalize(column), role]));
  const mappedFields = new Set(mapped.values());
  const roleOf = (column: string): ColumnRole | undefined => {
    const name = normalize(column);
    const field = FIELD_OF.get(name) ?? labels.get(labelOf(column)) ?? custom.get(name);
    return exact.get(column) ?? mapped.get(name) ?? (field && !mappedFields.has(field) ? field : undefined);
  };
  const fieldOf = (column: string): Field | undefined => {
    const role = roleOf(column);
    return role === IGNORE ? undefined : role;
  };
  return {
    mappings,
    customFields,
    key,
    fieldOf,
    /** Every field that a file can have, in the order in which its columns are named. */
    fields: ["id" as const, ...PET_FIELDS, ...profileColumns.keys()],
    /** Of several columns for one value, the first in this order counts. */
    profileColumns,
    /** True for a column that a mapping spells exactly so. */
    isExact: (column: string): boolean => exact.has(column),
    /** True for a column that has a name and no role. */
    isUnknown: (column: string): boolean => column.trim() !== "" && roleOf(column) === undefined,
    /** True if the ids of an export are not read. */
    ignoresIds: exact.get("id") === IGNORE,
    /** The mapped columns that the header does not have. */
    findMissing(header: readonly string[]): string[] {
      const names = new Set(header.map(normalize));
      return mappings.map(([column]) => column).filter((column) => !names.has(normalize(column)));
    },
  };
};

export type Columns = ReturnType<typeof columnsOf>;

/** The columns that the program itself writes, as far as no mapping names them. */
const ownMappings = (header: readonly string[], { mappings, key }: Columns): Mapping[] => {
  const mapped = new Set(mappings.map(([column]) => normalize(column)));
  const isIdMapped = mappings.some(([, role]) => role === "id");
  const own: Mapping[] = [
    ...(isExport(header) ? [["id", key === "id" && !isIdMapped ? "id" : IGNORE] as const] : []),
    ...(isRejectedFile(header) ? (["line", "reason"] as const).map((name) => [name, IGNORE] as const) : []),
  ];
  return own.filter(([column]) => !mapped.has(column));
};

/**
 * The columns of a file with this header. Only an export has the ids of this store: elsewhere `ID` is a shelter's own number,
 * also as the key of an update.
 */
export const columnsIn = (header: readonly string[], columns: Columns): Columns => {
  const { customFields, key } = columns;
  const mappings = [...columns.mappings, ...ownMappings(header, columns)];
  const roles = new Set(mappings.map(([, role]) => role));
  const id = header.find((column) => normalize(column) === "id");
  return key === "id" && id !== undefined && !roles.has("id") && !roles.has("reference")
    ? columnsOf([...mappings, [id, "reference"]], customFields, "reference")
    : columnsOf(mappings, customFields, key);
};

/** The index of each field in a row. */
export type FieldIndexes = Readonly<Partial<Record<Field, number>>>;

const MAX_NAMED_COLUMNS = 20;
const MAX_LABEL_LENGTH = 80;
const MAX_SKIPPED_COLUMNS = 200;
const quoteNames = (columns: readonly string[], most = MAX_NAMED_COLUMNS): string =>
  columns
    .slice(0, most)
    .map((column) => JSON.stringify(column.slice(0, 64)))
    .join(", ") + (columns.length > most ? `, and ${columns.length - most} more` : "");

/**
 * The required fields that a file lacks, as the user maps it: `name`, or one of `category` and `categoryId`. The rows of an
 * update need only a key: other values stay.
 */
const missingFields = (found: ReadonlySet<Field | undefined>, { key }: Columns): Field[] => {
  if (key) return found.has(key) ? [] : [key];
  return [
    ...(found.has("name") ? [] : ["name" as const]),
    ...(found.has("category") || found.has("categoryId") ? [] : ["category" as const]),
  ];
};

/** @throws FileRefused if a mapping names a column that the file does not have, or a custom field that does not exist */
export const assertMapped = (
  header: readonly string[],
  { findMissing, mappings, fields, key }: Columns,
): void => {
  const unknown = mappings.find(
    ([, role]) => role !== IGNORE && !(fields as readonly Field[]).includes(role),
  );
  if (unknown)
    throw new FileRefused(
      `--map names ${unknown[1]}, and no custom field has this name: add it with POST /v1/fields first, or leave the column out of --map and use --create-fields`,
    );
  const [unmapped] = findMissing(header);
  if (unmapped !== undefined)
    throw new FileRefused(
      `${key ? "--map or --key" : "--map"} names the column ${quoteNames([unmapped])}, which the file does not have; found ${quoteNames(header)}`,
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
  const missing = missingFields(new Set(Object.keys(indexes) as Field[]), columns);
  if (missing.length > 0)
    throw new FileRefused(
      `no column matches ${missing.join(" or ")}; found ${quoteNames(header)}: map one with --map "COLUMN=${missing[0]}"`,
    );
  return indexes;
};

/** A note that names the unknown columns or fields, with a remedy; undefined without any. */
export const ignoredNote = (
  kind: "columns" | "fields",
  unknown: readonly string[],
  createsFields: boolean,
): string | undefined => {
  if (unknown.length === 0) return undefined;
  const remedy = createsFields
    ? `a custom field needs a name of at most ${MAX_LABEL_LENGTH} characters and values of one kind, and a store has at most ${MAX_FIELDS} fields`
    : `to keep them as custom fields, of which a store has at most ${MAX_FIELDS}, add --create-fields`;
  return `skipped ${kind}: ${quoteNames(unknown, MAX_SKIPPED_COLUMNS)}; ${remedy}`;
};

/** Names that shelters give to columns, the best first. A field's own name is not a guess. */
const SYNONYMS = {
  name: headers("Animal Name, Pet Name, Name of Animal, Name of Pet, Animal's Name, Pet's Name"),
  category: headers(
    `Species, Animal Species, Species Name, Pet Species, Type, Pet Type, Animal Category, Category Name,
     Type of Animal, Kind, Animal Type, Animal`,
  ),
  status: headers(
    "Adoption Status, Animal Status, Pet Status, Current Status, Status Name, Availability, State",
  ),
};

/** True if a field needs no guess: `categoryId` makes a guess for `category` unnecessary. */
const isFound = (field: Field, found: ReadonlySet<Field | undefined>): boolean =>
  found.has(field) || (field === "category" && found.has("categoryId"));

const ALL_SYNONYMS = Object.entries({
  ...SYNONYMS,
  ...Object.fromEntries(Object.entries(PROFILE_COLUMNS).map(([field, { synonyms }]) => [field, synonyms])),
}).map(([field, names]) => [field as Field, names.map(normalize)] as const);

/** Guesses the fields that no column is named after and no mapping names. Of several candidates, the best synonym is read. */
const guessesFor = (header: readonly string[], { fieldOf, isUnknown }: Columns): Mapping[] => {
  const found = new Set(header.map(fieldOf));
  // The first of equal names counts.
  const unknown = new Map(
    header
      .filter(isUnknown)
      .toReversed()
      .map((column) => [normalize(column), column]),
  );
  return ALL_SYNONYMS.flatMap(([field, names]): Mapping[] => {
    const column = names.map((name) => unknown.get(name)).find((one) => one !== undefined);
    return column === undefined || isFound(field, found) ? [] : [[column, field]];
  });
};

/** The fields of a header, with those that would be guessed. */
const fieldsIn = (header: readonly string[], columns: Columns): Set<Field | undefined> =>
  new Set([...header.map(columns.fieldOf), ...guessesFor(header, columns).map(([, role]) => role as Field)]);

/** How many fields a header has. */
export const countFields = (header: readonly string[], wanted: Columns): number =>
  [...fieldsIn(header, columnsIn(header, wanted))].filter(Boolean).length;

/** True if a header has every field that a row needs. */
export const hasRequired = (header: readonly string[], wanted: Columns): boolean => {
  const columns = columnsIn(header, wanted);
  return missingFields(fieldsIn(header, columns), columns).length === 0;
};

interface Guess {
  /** The columns, with each guess as a mapping. */
  columns: Columns;
  /** The guesses, and how to choose otherwise; undefined without any. */
  note: string | undefined;
}

export const guessColumns = (header: readonly string[], columns: Columns): Guess => {
  const guesses = guessesFor(header, columns).toSorted(
    ([one], [other]) => header.indexOf(one) - header.indexOf(other),
  );
  if (guesses.length === 0) return { columns, note: undefined };
  const told = guesses.map(([column, field]) => `${quoteNames([column])} as ${field}`).join(", ");
  return {
    columns: columnsOf([...columns.mappings, ...guesses], columns.customFields, columns.key),
    note: `guessed: ${told}; choose others with --map "COLUMN=FIELD"`,
  };
};

const MAX_NAME_LENGTH = 36;

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** A name for the custom field of a column: `fosterHome` for `Foster Home`. */
const customFieldName = (column: string, taken: ReadonlySet<string>): string => {
  const [first = "", ...words] = column
    .replace(/^custom\./i, "")
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => (/[a-z]/.test(word) ? word : word.toLowerCase()));
  const start = first.charAt(0).toLowerCase() + first.slice(1);
  const name = (/^[a-z]/.test(start) ? start : `field${start}`) + words.map(capitalized).join("");
  for (let number = 1; ; number++) {
    const numbered = name.slice(0, MAX_NAME_LENGTH) + (number === 1 ? "" : number);
    if (!taken.has(numbered) && !isReservedName(numbered)) return numbered;
  }
};

/**
 * Makes unknown columns custom fields, as far as a store can have more.
 * @param kindOf the kind of a column's field; undefined if no field can have its values
 * @returns the columns, and the new fields
 */
export const withNewFields = (
  header: readonly string[],
  columns: Columns,
  kindOf: (column: string) => CustomField["kind"] | undefined,
): { columns: Columns; newFields: CustomField[] } => {
  const { mappings, customFields, key, isUnknown } = columns;
  const names = new Set(customFields.map(({ name }) => name));
  const labels = new Map(
    header.filter((column) => isUnknown(column) && kindOf(column)).map((column) => [column, labelOf(column)]),
  );
  const fits = [...labels].filter(([, label]) => label !== "" && label.length <= MAX_LABEL_LENGTH);
  const made = fits.slice(0, MAX_FIELDS - customFields.length).map(([column, label]) => {
    const name = customFieldName(column, names);
    names.add(name);
    const kind = kindOf(column) ?? "text";
    return { column, field: { id: 0, name, label, kind, isPublic: false, position: 0 } };
  });
  const newFields = made.map(({ field }) => field);
  const newMappings = made.map(({ column, field }): Mapping => [column, `custom.${field.name}`]);
  return {
    columns: columnsOf([...mappings, ...newMappings], [...customFields, ...newFields], key),
    newFields,
  };
};
