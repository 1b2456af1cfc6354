import { foldName, quoted, shellWord } from "../../lib/text.ts";
import { quantity } from "../../lib/quantity.ts";
import { bigintOf, jsonInteger } from "../../lib/json.ts";
import { newPetChecker, toNewPet } from "../pets/model.ts";
import { type NewPet, PET_STATUSES, parsePetStatus } from "../pets/pet.ts";
import type { CategoryNames } from "./category-names.ts";
import type { Columns, Field, FieldIndexes } from "./columns.ts";
import { unguardFormula } from "../../lib/csv-writer.ts";
import { type Row, UnreadableRow } from "./row.ts";
import type { TranslateValue, UnknownValues } from "./value-mapping.ts";

/** A valid row whose category does not exist yet. */
export class MissingCategory {
  constructor(readonly name: string) {}
}

/** The reason why a row without an existing category is rejected. */
export const rejectMissing = ({ name }: MissingCategory, unknown: UnknownValues): string => {
  unknown.add("category", name);
  return `category: there is no category ${quoted(name)}`;
};

/** The animal of a row, the reason why the row is rejected, or the category that it lacks. */
export type ValidationResult = NewPet | MissingCategory | string;

/** Validates the rows of one file. */
export type RowValidator = (row: Row) => ValidationResult;

/** The values of the fields of a row; undefined for missing fields. */
type FieldValues = Partial<Record<Field, unknown>>;

/** The meaning of a file's values. */
export interface Meaning {
  categories: CategoryNames;
  translate: TranslateValue;
  unknown: UnknownValues;
  /** True if categories that do not exist are created. */
  createsCategories: boolean;
}

const PLAIN_INTEGER = /^[+-]?[0-9]{1,40}$/;

/** A number that a spreadsheet has rounded (`9.2E+18`) stays text, which is refused as a category. */
const parseInteger = (cell: string): unknown => {
  const text = cell.trim();
  if (text.length <= 15 && PLAIN_INTEGER.test(text)) return Number(text);
  return PLAIN_INTEGER.test(text) ? jsonInteger(BigInt(text)) : text === "" ? undefined : text;
};

/** Fields that are valid, so that the others are explained one by one. */
const VALID = { name: "x", categoryId: 1 };

/** Why the values break the rules of `POST /v1/pets`, and which value does. */
const explain = (body: Readonly<Record<string, unknown>>): string => {
  const reasons = (["name", "categoryId", "status"] as const).flatMap((field) => {
    const { [field]: value } = body;
    const one: Record<string, unknown> = { ...VALID, [field]: value };
    if (value === undefined) delete one[field];
    if (newPetChecker.accepts(one)) return [];
    if (field === "name" && typeof value === "string" && value.trim() === "") return ["name: is empty"];
    if (field === "status" && typeof value === "string")
      return [`status: ${quoted(value)} is not one of ${PET_STATUSES.join(", ")}`];
    return [newPetChecker.explain(one) + (typeof value === "string" ? `, not ${quoted(value)}` : "")];
  });
  return reasons.join("; ");
};

/** The id and the name of one row contradict each other if the id is a category's of another name. */
const contradiction = (id: unknown, name: string, categories: CategoryNames): string | undefined => {
  const integer = bigintOf(id);
  const known = integer === undefined ? undefined : categories.nameOf(integer);
  return known === undefined || known === name || foldName(known) === foldName(name)
    ? undefined
    : `category: ${quoted(name)} is not the name of category ${integer}, which is ${quoted(known)}: correct one of them, or clear categoryId`;
};

/** Finds the id of a category by its name, or by digits if a category has them as its id. */
const findCategory = (name: string, categories: CategoryNames): bigint | undefined => {
  const id = categories.idOf(name);
  if (id !== undefined || !PLAIN_INTEGER.test(name)) return id;
  const digits = BigInt(name);
  return categories.nameOf(digits) === undefined ? undefined : digits;
};

/** Why a row has no category. */
class Rejection {
  constructor(readonly reason: string) {}
}

/**
 * The `categoryId` of a row: its own, which may be invalid, or that of the category which the row names. Of both, the name
 * counts while categories are created: the file then comes from elsewhere, and its ids may mean other categories here.
 */
const resolveCategory = (
  { categoryId, category }: FieldValues,
  { categories, translate, createsCategories }: Meaning,
): unknown => {
  const text = typeof category === "string" || typeof category === "number" ? String(category).trim() : "";
  const hasId = categoryId !== undefined && categoryId !== null;
  if (text === "") return hasId || category === undefined ? categoryId : new Rejection("category: is empty");
  const name = translate("category", text);
  if (hasId && !createsCategories) {
    const reason = contradiction(categoryId, name, categories);
    return reason === undefined ? categoryId : new Rejection(reason);
  }
  const id = findCategory(name, categories);
  if (id !== undefined) return jsonInteger(id);
  return PLAIN_INTEGER.test(name)
    ? new Rejection(
        `category: there is no category ${quoted(name)}; if the column has ids, add --map "COLUMN=categoryId"`,
      )
    : new MissingCategory(name);
};

const isStatus = (text: string): boolean => (PET_STATUSES as readonly string[]).includes(text);

/** The status of a row after mapping; undefined if the row has none. An unknown one stays as it is. */
const resolveStatus = (status: unknown, translate: TranslateValue): unknown => {
  if (typeof status !== "string") return status ?? undefined;
  const text = status.trim();
  if (text === "") return undefined;
  const mapped = translate("status", text);
  return parsePetStatus(mapped) ?? (mapped || undefined);
};

/** Checks the values against the rules of `POST /v1/pets`. */
const validateFields = (values: FieldValues, meaning: Meaning): ValidationResult => {
  const category = resolveCategory(values, meaning);
  if (category instanceof Rejection) return category.reason;
  const status = resolveStatus(values.status, meaning.translate);
  const body: Record<string, unknown> = {};
  if (values.name !== undefined) body["name"] = values.name;
  if (category !== undefined) body["categoryId"] = category instanceof MissingCategory ? 0 : category;
  if (status !== undefined) body["status"] = status;
  if (!newPetChecker.accepts(body)) {
    if (typeof status === "string" && !isStatus(status)) meaning.unknown.add("status", status);
    const also = category instanceof MissingCategory && !meaning.createsCategories;
    return explain(body) + (also ? `; ${rejectMissing(category, meaning.unknown)}` : "");
  }
  return category instanceof MissingCategory ? category : toNewPet(body);
};

interface CsvLayout extends Meaning {
  indexes: FieldIndexes;
  /** How many cells the header has. */
  width: number;
  isRaw: boolean;
}

/** How many cells a row must have at least: spreadsheets leave out empty ones at its end. */
const minWidth = (indexes: FieldIndexes): number => Math.max(...Object.values(indexes)) + 1;

export const csvRowValidator = ({ indexes, width, isRaw, ...meaning }: CsvLayout): RowValidator => {
  const least = minWidth(indexes);
  const { name = -1, categoryId = -1, category = -1, status = -1 } = indexes;
  const textOf = isRaw ? (text: string) => text : unguardFormula;
  return ({ content }) => {
    if (content instanceof UnreadableRow) return content.reason;
    const cells = content as string[];
    if (cells.length < least || cells.slice(width).some((cell) => cell !== ""))
      return `has ${quantity(cells.length, "cell")}; the header has ${width}`;
    return validateFields(
      {
        name: textOf(cells[name] ?? ""),
        categoryId: parseInteger(cells[categoryId] ?? ""),
        category: category === -1 ? undefined : textOf(cells[category] ?? ""),
        status: cells[status],
      },
      meaning,
    );
  };
};

const MAX_UNKNOWN_KEYS = 50;
const MAX_KNOWN_KEYS = 1000;

/** `fieldOf` of columns, once for each key. */
const cachedFieldOf = ({ fieldOf }: Columns) => {
  const known = new Map<string, Field | undefined>();
  return (key: string): Field | undefined => {
    if (known.has(key)) return known.get(key);
    const field = fieldOf(key);
    if (known.size < MAX_KNOWN_KEYS) known.set(key, field);
    return field;
  };
};

/** @param unknownKeys collects keys that are not fields */
export const objectRowValidator = (
  columns: Columns,
  unknownKeys: Set<string>,
  meaning: Meaning,
): RowValidator => {
  const fieldOf = cachedFieldOf(columns);
  return ({ content }) => {
    if (content instanceof UnreadableRow) return content.reason;
    const values: FieldValues = {};
    const keys: Partial<Record<Field, string>> = {};
    for (const [key, value] of Object.entries(content)) {
      const field = fieldOf(key);
      if (field === undefined) {
        if (unknownKeys.size < MAX_UNKNOWN_KEYS && columns.isUnknown(key)) unknownKeys.add(key);
        continue;
      }
      const earlier = keys[field];
      if (earlier !== undefined && columns.isExact(earlier) === columns.isExact(key))
        return `${field}: is given twice, as ${quoted(earlier)} and ${quoted(key)}: choose one with --map ${shellWord(`${key}=${field}`)}`;
      if (earlier !== undefined && columns.isExact(earlier)) continue;
      values[field] = value;
      keys[field] = key;
    }
    return validateFields(values, meaning);
  };
};
