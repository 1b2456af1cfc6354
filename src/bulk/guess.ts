import {
  type Columns,
  type Field,
  FileRefused,
  type Mapping,
  columnsOf,
  missingFields,
  normalize,
  quoteNames,
} from "./columns.ts";
import { shellWord } from "../lib/text.ts";

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

/** What a file must not have yet, so that a field is guessed: `categoryId` makes a guess for `category` unnecessary. */
const isFound = (field: Field, found: ReadonlySet<Field | undefined>): boolean =>
  found.has(field) || (field === "category" && found.has("categoryId"));

export interface Guess {
  /** The columns, with each guess as a mapping. */
  columns: Columns;
  /** What was guessed, and how to choose otherwise; undefined if nothing was. */
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
