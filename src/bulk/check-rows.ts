import type { NewPet } from "../pets/pet.ts";
import { quoted } from "../lib/text.ts";
import type { CategoryAccess } from "./category-names.ts";
import type { FileFormat } from "./read-format.ts";
import type { RejectedFormat } from "./rejected-format.ts";
import type { Row } from "./row.ts";
import type { Source } from "./source.ts";
import { MissingCategory, type ValidationResult, rejectMissing } from "./validate-row.ts";
import type { UnknownValues } from "./value-mapping.ts";

/** Invalid bytes decode to U+FFFD, which is also what the file of rejected rows has in their place. */
const REPLACEMENT = "\uFFFD";

/** Validates a row, its text encoding and its category. */
const rowValidator =
  (
    { validate, isFromRejectedFile }: FileFormat,
    { isBroken, encoding }: Source,
    { hasCategory, names }: CategoryAccess,
  ) =>
  (row: Row): ValidationResult => {
    const pet = validate(row);
    if (typeof pet === "string" || pet instanceof MissingCategory) return pet;
    if (pet.name.includes(REPLACEMENT) && isBroken())
      return `name: is not ${encoding}: save the file as UTF-8 (spreadsheets call it CSV UTF-8)`;
    if (pet.name.includes(REPLACEMENT) && isFromRejectedFile(row))
      return "name: U+FFFD stands for bytes that were not text: replace it with the right letters";
    const { categoryId } = pet;
    const exists = !hasCategory || names.nameOf(categoryId) !== undefined || hasCategory(categoryId);
    return exists ? pet : `categoryId: there is no category ${categoryId}`;
  };

/** Creates the categories that rows lack, and returns the names of those that it created. */
const createMissing = async (
  results: readonly ValidationResult[],
  { names, problemOf, create }: CategoryAccess,
): Promise<string[]> => {
  const created: string[] = [];
  for (const result of results) {
    if (!create || !(result instanceof MissingCategory)) continue;
    const { name } = result;
    if (names.idOf(name) !== undefined || problemOf(name) !== undefined) continue;
    await create(name);
    created.push(name);
  }
  return created;
};

/** Validates rows, and creates the categories that they lack. */
export const rowChecker = (
  format: FileFormat,
  source: Source,
  categories: CategoryAccess,
  unknown: UnknownValues,
) => {
  const validate = rowValidator(format, source, categories);
  const reject = (missing: MissingCategory): string => {
    const problem = categories.create && categories.problemOf(missing.name);
    return problem === undefined
      ? rejectMissing(missing, unknown)
      : `category: ${quoted(missing.name)} cannot be created: ${problem}`;
  };
  /** @returns for each row its animal, or why it is rejected; and the names of new categories */
  return async (rows: readonly Row[]): Promise<{ results: (NewPet | string)[]; created: string[] }> => {
    const first = rows.map(validate);
    const hasMissing = first.some((result) => result instanceof MissingCategory);
    if (!hasMissing) return { results: first as (NewPet | string)[], created: [] };
    const created = await createMissing(first, categories);
    const results = first.map((result, index) => {
      if (!(result instanceof MissingCategory)) return result;
      const again = validate(rows[index] as Row);
      return again instanceof MissingCategory ? reject(again) : again;
    });
    return { results, created };
  };
};

/** The animals of valid rows, and the lines of rejected ones. */
export const sortRows = (
  rows: readonly Row[],
  results: readonly (NewPet | string)[],
  {
    onRejected,
    formatLine,
  }: {
    onRejected(line: number, reason: string): void;
    formatLine: RejectedFormat["formatLine"] | undefined;
  },
) => {
  const pets: NewPet[] = [];
  let rejectedLines = "";
  for (const [index, row] of rows.entries()) {
    const pet = results[index] as NewPet | string;
    if (typeof pet !== "string") pets.push(pet);
    else {
      onRejected(row.line, pet);
      if (formatLine) rejectedLines += formatLine(row, pet);
    }
  }
  return { pets, rejectedLines };
};
