import { foldName, quoted, shellWord } from "../../lib/text.ts";
import { quantity } from "../../lib/quantity.ts";
import { bigintOf, jsonInteger } from "../../lib/json.ts";
import { Fault } from "../../lib/errors.ts";
import type { Field as CustomField } from "../pets/fields/field.ts";
import { newPetChecker, toNewPet } from "../pets/model.ts";
import { PET_STATUSES, parsePetStatus } from "../pets/pet.ts";
import { referenceOf } from "../pets/profile/members.ts";
import { toMembers } from "../pets/profile/model.ts";
import { type Members, mergePatch } from "../pets/profile/profile.ts";
import type { CategoryNames } from "./category-names.ts";
import type { ImportedPet, PresentPet } from "./changes.ts";
import { type Columns, type Field, type FieldIndexes, type KeyField, isNamed } from "./columns.ts";
import {
  type Conventions,
  dateOrderOf,
  isUnread,
  PROFILE_COLUMNS,
  type ProfileColumn,
} from "./profile-columns.ts";
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
export type ValidationResult = ImportedPet | MissingCategory | string;

/** The values of the fields of a row; undefined for missing fields. */
export type FieldValues = Partial<Record<Field, unknown>>;

/** Reads the rows of one file. */
export interface RowReader {
  /** The values of a row, or why it cannot be read. */
  read(row: Row): FieldValues | string;
  /** The text that finds the animal of a row; undefined if it has none. */
  keyOf(values: FieldValues, key: KeyField): string | undefined;
  /** @param present the animal that the row may change: it keeps the values that the row does not have */
  validate(values: FieldValues, present?: PresentPet): ValidationResult;
}

/** The meaning of a file's values. */
export interface Meaning {
  categories: CategoryNames;
  translate: TranslateValue;
  unknown: UnknownValues;
  /** True if categories that do not exist are created. */
  createsCategories: boolean;
  conventions: Conventions;
  /** The members of a document, or why it is not a profile. */
  checkProfile(document: unknown): Members | string;
}

/** Checks profiles by the rules of `PUT /v1/pets/{petId}/profile`. */
export const profileChecker =
  (fields: readonly CustomField[], now: number): Meaning["checkProfile"] =>
  (document) => {
    try {
      return toMembers(document, fields, now);
    } catch (error) {
      if (error instanceof Fault) return error.message;
      throw error;
    }
  };

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

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === "string" && value.trim() === "");

/** The values of a row, and the animal's own where the row has none. */
const completed = (values: FieldValues, present: PresentPet): FieldValues => {
  const { name, categoryId, category, status } = values;
  const isUncategorized = isBlank(categoryId) && isBlank(category);
  return {
    name: isBlank(name) ? present.name : name,
    categoryId: isUncategorized ? jsonInteger(present.categoryId) : (categoryId ?? undefined),
    category: isBlank(category) ? undefined : category,
    status: isBlank(status) ? present.status : status,
  };
};

/** The words for no value in other programs. */
const NO_VALUE = /^(?:-|none|n\/a)$/i;

/** How the rows of a file hold values. */
interface RowLayout {
  read(content: string[] | Record<string, unknown>): FieldValues | string;
  /** The columns of profiles that the file may have. */
  profileColumns: Iterable<readonly [Field, ProfileColumn]>;
  /** The fields whose columns do not have the names that exports give them. */
  foreign: ReadonlySet<Field>;
  /** The name of a field's column in the file. */
  columnOf(field: Field): string;
  /** True if texts are exact. Those of CSV may be quoted, and have white space around them. */
  isJson: boolean;
}

export const rowReader = (
  { read, profileColumns, foreign, columnOf, isJson }: RowLayout,
  meaning: Meaning,
): RowReader => {
  const { conventions, unknown, checkProfile, translate } = meaning;

  /** The value of a cell, or of JSON, which needs no reading unless it is a text; undefined if it is empty. */
  const valueOf = (field: Field, column: ProfileColumn, value: unknown): unknown => {
    const { isText, isDate, words, read: readCell } = column;
    if (typeof value !== "string") return value ?? undefined;
    const isForeign = foreign.has(field);
    const text = value.trim();
    if (isJson && isText && !isForeign) return (words ? translate(field, value) : value) || undefined;
    if (text === "" || ((isForeign || isDate) && NO_VALUE.test(text))) return undefined;
    if (isJson && isText) return words ? translate(field, value) : value;
    return readCell(words ? translate(field, text) : text, conventions);
  };

  /** Why a text has no meaning. It also collects the remedies. */
  const explainUnread = (field: Field, column: ProfileColumn, text: string): string => {
    const { form, words, into, remedyFor } = column;
    if (words) unknown.add(field, text, words);
    const remedy = remedyFor?.(text, columnOf(field));
    if (remedy !== undefined) unknown.addRemedy(field, remedy);
    return `${into.join(".")}: must be ${words ? `one of ${words.join(", ")}` : form}, not ${quoted(text)}`;
  };

  const addDateRemedy = (text: string): void => {
    if (dateOrderOf(text) === "ambiguous")
      unknown.addRemedy(
        "dates",
        `the day and the month of ${quoted(text)} may be in either order: add --dates dmy or --dates mdy`,
      );
  };

  /** The profile in a row, which has no members if the row has none, and why some of its values have no meaning. */
  const profileOf = (values: FieldValues): { profile: Record<string, unknown>; reasons: string[] } => {
    const profile: Record<string, unknown> = {};
    const reasons: string[] = [];
    for (const [field, column] of profileColumns) {
      const [member, part] = column.into;
      const value = valueOf(field, column, values[field]);
      if (value === undefined) continue;
      if (column.isDate && typeof value === "string") addDateRemedy(value);
      if (isUnread(column, value)) reasons.push(explainUnread(field, column, value));
      else if (part === undefined) profile[member] ??= value;
      else ((profile[member] ??= {}) as Record<string, unknown>)[part] ??= value;
    }
    return { profile, reasons };
  };

  /** The reasons of each member, with its value. */
  const explainProfile = (profile: Members): string[] =>
    Object.entries(profile).flatMap(([member, value]) => {
      const reason = checkProfile({ [member]: value });
      if (typeof reason !== "string") return [];
      return [reason + (typeof value === "string" ? `, not ${quoted(value)}` : "")];
    });

  const validateProfile = (values: FieldValues, present: PresentPet | undefined): Members | string => {
    const { profile, reasons } = profileOf(values);
    if (reasons.length === 0 && Object.keys(profile).length === 0) return {};
    const merged = present ? (mergePatch(present.profile, profile) as Members) : profile;
    const members = checkProfile(merged);
    if (typeof members === "string") return [...reasons, ...explainProfile(merged)].join("; ") || members;
    return reasons.length === 0 ? members : reasons.join("; ");
  };

  return {
    read: ({ content }) => (content instanceof UnreadableRow ? content.reason : read(content)),
    keyOf(values, key) {
      const value = valueOf(key, PROFILE_COLUMNS.reference, values[key]);
      const text = key === "id" ? (bigintOf(value)?.toString() ?? value) : referenceOf(value);
      return typeof text === "string" ? text : undefined;
    },
    validate(values, present) {
      const pet = validateFields(present ? completed(values, present) : values, meaning);
      if (pet instanceof MissingCategory) return pet;
      const profile = validateProfile(values, present);
      const reasons = [pet, profile].filter((result) => typeof result === "string");
      if (reasons.length > 0) return reasons.join("; ");
      return Object.keys(profile).length === 0
        ? pet
        : { ...(pet as ImportedPet), profile: profile as Members };
    },
  };
};

/**
 * How many cells a row must have at least: those of the animal itself. Spreadsheets leave out empty ones at its end.
 */
const minWidth = ({
  id = -1,
  name = -1,
  categoryId = -1,
  category = -1,
  status = -1,
}: FieldIndexes): number => Math.max(id, name, categoryId, category, status) + 1;

interface CsvFile {
  columns: Columns;
  header: readonly string[];
  indexes: FieldIndexes;
  isRaw: boolean;
  /** Collects the places of columns that have a value and no name. */
  unnamed: Set<number>;
}

export const csvLayout = ({ columns, header, indexes, isRaw, unnamed }: CsvFile): RowLayout => {
  const least = minWidth(indexes);
  const width = header.length;
  const nameless = [...header.keys()].filter((place) => header[place]?.trim() === "");
  const fields = Object.entries(indexes) as [Field, number][];
  const textOf = isRaw ? (text: string) => text : unguardFormula;
  return {
    isJson: false,
    columnOf: (field) => header[indexes[field] ?? -1] ?? field,
    profileColumns: [...columns.profileColumns].filter(([field]) => indexes[field] !== undefined),
    foreign: new Set(
      fields.flatMap(([field, index]) => (isNamed(header[index] ?? "", field) ? [] : [field])),
    ),
    read(content) {
      const cells = content as string[];
      if (cells.length < least || cells.slice(width).some((cell) => cell !== ""))
        return `has ${quantity(cells.length, "cell")}; the header has ${width}`;
      for (const place of nameless) if (cells[place]?.trim()) unnamed.add(place);
      const values: FieldValues = { name: "" };
      for (const [field, index] of fields) values[field] = textOf(cells[index] ?? "");
      return { ...values, categoryId: parseInteger(cells[indexes.categoryId ?? -1] ?? "") };
    },
  };
};

const MAX_UNKNOWN_KEYS = 50;
const MAX_KNOWN_KEYS = 1000;

/** @param unknownKeys collects keys that are not fields */
export const objectLayout = (columns: Columns, unknownKeys: Set<string>): RowLayout => {
  const known = new Map<string, Field | undefined>();
  const foreign = new Set<Field>();
  const names = new Map<Field, string>();
  const fieldOf = (key: string): Field | undefined => {
    if (known.has(key)) return known.get(key);
    const field = columns.fieldOf(key);
    if (known.size < MAX_KNOWN_KEYS) known.set(key, field);
    if (field) names.set(field, key);
    if (field && !isNamed(key, field)) foreign.add(field);
    return field;
  };
  return {
    isJson: true,
    columnOf: (field) => names.get(field) ?? field,
    profileColumns: columns.profileColumns,
    foreign,
    read(content) {
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
      return values;
    },
  };
};
