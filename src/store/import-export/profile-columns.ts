import { quoted, shellWord } from "../../lib/text.ts";
import type { Field } from "../pets/fields/field.ts";

/** The meaning of `3/4/2026`: 3 April, or March 4. */
export type DateOrder = "dmy" | "mdy";

/** What a file does not say itself. */
export interface Conventions {
  dates?: DateOrder | undefined;
  /** ISO 4217: the currency of fees without one. */
  currency?: string | undefined;
}

/**
 * Makes a value of the API from a trimmed cell that is not empty. A text without a meaning stays as it is, so that the check of
 * the row names it.
 */
type ReadCell = (text: string, conventions: Conventions) => unknown;

/** How the cells of a column are read and written. */
interface Cells {
  read: ReadCell;
  isDate?: true;
  /** True if its cells are any text. */
  isText?: true;
  /** The form of its cells, for a message about a text that `read` does not understand. */
  form?: string;
  /** The words that its cells mean. Others need a translation. */
  words?: readonly string[];
  /** What to do about a text that `read` would understand with a convention; undefined about another text. */
  remedyFor?(text: string, column: string): string | undefined;
  /** Makes the cell of an export: `read` gives the same value again. Absent: exports have no such column. */
  write?(value: unknown): string;
}

/** A column of a file for a part of a profile. */
export interface ProfileColumn extends Cells {
  /** The member of the profile, and the member of that. */
  into: readonly [member: string, part?: string];
  /** The headers of other programs. A file's first column of these is read. */
  synonyms: readonly string[];
}

/** The value of a column in a profile; undefined if the profile has none. */
export const valueIn = (
  profile: Readonly<Record<string, unknown>>,
  [member, part]: ProfileColumn["into"],
): unknown =>
  part === undefined ? profile[member] : (profile[member] as typeof profile | undefined)?.[part];

/** Reads words in any case, whatever stands between their parts. */
const oneOf = (meanings: Readonly<Record<string, readonly string[]>>): ReadCell => {
  const valueOf = new Map(
    Object.entries(meanings).flatMap(([value, words]) => [value, ...words].map((word) => [word, value])),
  );
  return (text) => valueOf.get(text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "_")) ?? text;
};

const YES = ["y", "true", "t", "1", "x", "checked", "ja", "oui", "si", "sí"];
const NO = ["n", "false", "f", "0", "unchecked", "nein", "non"];
const UNKNOWN = ["u", "not_known", "not_sure", "not_tested", "n_a", "_", "none"];

/** ASM3 also has answers with a condition. */
const CONDITIONS = ["selective", "over_5", "over_12"];

const yesNoUnknown = oneOf({ yes: YES, no: NO, unknown: [...UNKNOWN, ...CONDITIONS] });
const OPPOSITES: Readonly<Record<string, string>> = { yes: "no", no: "yes" };

const TRUTHS = new Map<unknown, boolean | undefined>([
  ["yes", true],
  ["no", false],
  ["unknown", undefined],
]);

/** Unknown is an absent value. */
const yesOrNo: ReadCell = (text, conventions) => {
  const word = yesNoUnknown(text, conventions);
  return TRUTHS.has(word) ? TRUTHS.get(word) : text;
};

const json: ReadCell = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** Reads a quoted text only if `writeText` would have quoted it: other programs write quotes that belong to the text. */
const readText: ReadCell = (text, conventions) => {
  const content = /^".*"$/s.test(text) ? json(text, conventions) : text;
  return typeof content === "string" && content !== text && writeText(content) === text ? content : text;
};

/** White space at the ends would be trimmed, so such a text is quoted as in JSON. */
const writeText = (value: unknown): string => {
  const text = String(value);
  return text === text.trim() && readText(text, {}) === text ? text : JSON.stringify(text);
};

const GRAMS: Readonly<Record<string, number>> = {
  g: 1,
  kg: 1000,
  lb: 453.59237,
  lbs: 453.59237,
  oz: 28.349523125,
};

/** Reads `12.4 kg`. @param unit of a number without one */
const grams =
  (unit?: string): ReadCell =>
  (text) => {
    const [, number = "", own = unit] = /^([0-9]+(?:[.,][0-9]+)?) *(kg|g|lbs?|oz)?\.?$/i.exec(text) ?? [];
    const factor = own === undefined ? undefined : GRAMS[own.toLowerCase()];
    return factor === undefined || number === ""
      ? text
      : Math.round(Number(number.replace(",", ".")) * factor);
  };

const LIST_SEPARATOR = "; ";

/** Items that contain the separator, or begin or end with white space, make the list JSON. */
const writeList = (items: unknown): string => {
  const texts = items as string[];
  return texts.some((item) => /[;,]|^\[|^\s|\s$/.test(item))
    ? JSON.stringify(texts)
    : texts.join(LIST_SEPARATOR);
};

const readList: ReadCell = (text, conventions) => {
  const items = text.startsWith("[") ? json(text, conventions) : text;
  if (typeof items !== "string") return items;
  return [
    ...new Set(
      items
        .split(/[;,]/)
        .map((item) => item.trim())
        .filter(Boolean),
    ),
  ];
};

const SYMBOLS: Readonly<Record<string, string>> = { $: "USD", "€": "EUR", "£": "GBP" };

const minorDigits = (currency: string): number | undefined => {
  try {
    return new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions()
      .maximumFractionDigits;
  } catch {
    return undefined;
  }
};

/** Reads `150.00 EUR`, `€1,250` and `150,50 €`. */
const readFee: ReadCell = (text, conventions) => {
  const [, before = "", number = "", after = ""] = /^(\D*?) *([0-9][0-9.,' ]*?) *(\D*)$/u.exec(text) ?? [];
  const named = before || after || conventions.currency || "";
  const currency = SYMBOLS[named] ?? named.toUpperCase();
  const digits = minorDigits(currency);
  if (number === "" || digits === undefined || (before && after)) return text;
  // Three digits after a comma are thousands, except of currencies with three.
  const decimals = new RegExp(`^(.*?)(?:[.,]([0-9]{1,${Math.max(digits, 2)}}))?$`);
  const [, whole = "", fraction = ""] = decimals.exec(number) ?? [];
  const units = Number(whole.replaceAll(/\D/g, ""));
  return { amount: Math.round(Number(`${units}.${fraction}`) * 10 ** digits), currency };
};

const writeFee = (fee: unknown): string => {
  const { amount, currency } = fee as { amount: number; currency: string };
  const digits = minorDigits(currency) ?? 2;
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`;
};

const padded = (part: string): string => part.padStart(2, "0");

/** The order of day and month in a date, or that both are possible; undefined for any other text. */
export const dateOrderOf = (text: string): DateOrder | "ambiguous" | undefined => {
  const [, first, second] = /^([0-9]{1,2})[-/.]([0-9]{1,2})[-/.][0-9]{4}(?:[ T]|$)/.exec(text) ?? [];
  if (first === undefined) return undefined;
  if (Number(first) > 12) return "dmy";
  return Number(second) > 12 ? "mdy" : "ambiguous";
};

/** Reads a date with or without a time: `2026-03-02`, `2026/3/2 10:00`, `02.03.2026`, or seconds since 1970. */
const readDate: ReadCell = (text, { dates }) => {
  if (/^[0-9]{9,10}$/.test(text)) return new Date(Number(text) * 1000).toISOString().slice(0, 10);
  const [day = ""] = text.split(/[ T]/);
  const parts = day.split(/[-/.]/);
  if (parts.some((part) => !/^[0-9]+$/.test(part))) return text;
  if (parts[0]?.length === 4) return parts.map(padded).join("-");
  const found = dateOrderOf(text);
  const order = found === "ambiguous" ? dates : found;
  if (order === undefined) return text;
  const [first = "", second = "", year = ""] = parts;
  return [year, ...(order === "dmy" ? [second, first] : [first, second])].map(padded).join("-");
};

/** Headers that are separated by commas. */
export const headers = (list: string): string[] => list.split(/,\s+/).filter(Boolean);

const TEXT: Cells = { read: readText, write: writeText, isText: true };
const DATE: Cells = { read: readDate, write: String, isDate: true };
const FLAG: Cells = {
  read: yesOrNo,
  words: ["yes", "no"],
  write: (value) => (value === true ? "yes" : "no"),
};
const LIST: Cells = { read: readList, write: writeList };
const ANSWERS = ["yes", "no", "unknown"];
const ANSWER: Cells = { read: yesNoUnknown, words: ANSWERS, write: String };

/** A column of the opposite: `NoDogs`. */
const OPPOSITE: Cells = {
  words: ANSWERS,
  read: (cell, conventions) => {
    const word = yesNoUnknown(cell, conventions);
    return OPPOSITES[String(word)] ?? word;
  },
};

const SEX: Cells = {
  words: ["female", "male", "unknown"],
  read: oneOf({
    female: ["f", "w", "spayed_female", "female_spayed", "weiblich", "femelle", "hembra"],
    male: ["m", "neutered_male", "male_neutered", "männlich", "mâle", "macho"],
    unknown: UNKNOWN,
  }),
  write: String,
};

const SIZE: Cells = {
  words: ["small", "medium", "large", "extra_large"],
  read: oneOf({
    small: ["s", "sm", "little"],
    medium: ["m", "med"],
    large: ["l", "big"],
    extra_large: ["xl", "x_large", "xlarge", "very_large"],
  }),
  write: String,
};

const FEE: Cells = {
  read: readFee,
  form: "an amount with its currency, such as 150.00 EUR",
  remedyFor: (text) =>
    readFee(text, { currency: "EUR" }) === text
      ? undefined
      : `a fee such as ${quoted(text)} has no currency: add --currency, such as --currency EUR`,
  write: writeFee,
};

const weight = (unit?: string): Cells => ({
  read: grams(unit),
  form: "a weight with its unit, such as 12.4 kg",
  remedyFor: (text, column) =>
    grams("kg")(text, {}) === text
      ? undefined
      : `a weight such as ${quoted(text)} has no unit: add --map ${shellWord(`${column}=weightKg`)} or --map ${shellWord(`${column}=weightPounds`)}`,
});

const NUMBER: Cells = {
  read: (cell) => (Number.isFinite(Number(cell)) ? Number(cell) : cell),
  write: String,
};

/** The columns by their names in exports, each with its synonyms and its `into`, which is the name unless it is given. */
const COLUMNS = {
  reference: [
    TEXT,
    `Animal Code, Shelter Code, Rescue ID, Animal Number, ARN, Animal ID, External ID, Petstablished ID,
     Organization Animal ID, ID`,
  ],
  sex: [SEX, "Gender, Animal Sex, Sex Name"],
  birthDate: [DATE, "Birthday, Date Of Birth, DOB, Animal DOB, DOBUnixTime, Exact Birthdate"],
  birthDateEstimated: [FLAG, "Estimated Birthdate"],
  breeds: [
    LIST,
    `Breed, Primary Breed, Pet Primary Breed, Pri Breed, Breed Primary, Animal Breed 1, Breed Name, Breed String,
     Pet Breed, Animal Primary Breed`,
  ],
  colour: [TEXT, "Color, Primary Color, Animal Color, Color (General), Color Details, Base Colour Name"],
  size: [SIZE, "Size Group, Animal Size, Pet Size, Size Name, Size Potential (General)"],
  weightGrams: [{ ...weight("g"), write: String }, ""],
  weightKg: [weight("kg"), "", "weightGrams"],
  weightPounds: [weight("lb"), "Current Weight Pounds, Weight lb, Weight lbs", "weightGrams"],
  weight: [weight(), "Animal Weight, Current Weight", "weightGrams"],
  neutered: [FLAG, "Altered, Animal Neutered, Spayed Neutered, Is Altered, Spay"],
  vaccinated: [FLAG, "Shots Current, Shots, Up-to-date, Is Current Vaccinations, Up-to-date on Shots etc"],
  microchip: [TEXT, "Microchip Number, Microchip ID, Chip Number, Animal Microchip, Identichip Number"],
  goodWithChildren: [
    ANSWER,
    `OK with Kids, Okay with Kids, Good with Kids, GoodWKids, Is Kids OK, Animal Good With Kids,
     Gets along with Kids`,
    "goodWith",
    "children",
  ],
  goodWithDogs: [
    ANSWER,
    "OK with Dogs, Okay with Dogs, GoodWDogs, Is Dogs OK, Animal Good With Dogs, Gets along with Dogs",
    "goodWith",
    "dogs",
  ],
  goodWithCats: [
    ANSWER,
    "OK with Cats, Okay with Cats, GoodWCats, Is Cats OK, Animal Good With Cats, Gets along with Cats",
    "goodWith",
    "cats",
  ],
  noChildren: [OPPOSITE, "No Kids", "goodWith", "children"],
  noDogs: [OPPOSITE, "", "goodWith", "dogs"],
  noCats: [OPPOSITE, "", "goodWith", "cats"],
  specialNeeds: [
    TEXT,
    "Special Needs Notes, Special Needs Details, Special Needs Description, Animal Health Problems",
  ],
  fee: [FEE, "Adoption Fee, Adoption Fee String"],
  location: [TEXT, "Current Location, Animal Location, Sublocation, Kennel"],
  arrivedOn: [
    DATE,
    `Intake Date, Arrival Date, Received Date, Animal Entry Date, Entry Date, Arrived, Date Pet Entered Your Care,
     Most Recent Entry Date, LastIntakeUnixTime`,
  ],
  tags: [LIST, ""],
  description: [
    TEXT,
    `Desc, Dsc, Description (no html), Animal Description, Animal Comments, Public Description,
     Kennel Card / Website Memo, Biography, Description Text`,
  ],
  notes: [TEXT, "Internal Notes, Private Notes, Animal Hidden Details, Intake Note, Animal Notes"],
} satisfies Record<string, readonly [cells: Cells, synonyms: string, member?: string, part?: string]>;

export type ProfileField = keyof typeof COLUMNS;

/** `custom.fosterFamily` is the custom field of that name. */
export type CustomName = `custom.${string}`;

/** The columns of profiles, by the name that exports give them. Headers are compared without case, spaces and punctuation. */
export const PROFILE_COLUMNS = Object.fromEntries(
  Object.entries(COLUMNS).map(([name, [cells, synonyms, member = name, part]]) => [
    name,
    { ...cells, synonyms: headers(synonyms), into: part === undefined ? [member] : [member, part] },
  ]),
) as unknown as Readonly<Record<ProfileField, ProfileColumn>>;

/** True for a text that `read` has not understood, of a column whose texts have a form. */
export const isUnread = ({ form, words }: ProfileColumn, value: unknown): value is string =>
  typeof value === "string" && (words ? !words.includes(value) : form !== undefined);

const CUSTOM_CELLS: Readonly<Record<Field["kind"], Cells>> = {
  text: TEXT,
  choice: TEXT,
  number: NUMBER,
  boolean: FLAG,
  date: DATE,
};

/** The columns for profiles and for custom fields, by the names that exports give them. */
export const columnsFor = (
  fields: readonly (Pick<Field, "name" | "kind"> & { choices?: readonly string[] })[],
): ReadonlyMap<ProfileField | CustomName, ProfileColumn> =>
  new Map<ProfileField | CustomName, ProfileColumn>([
    ...(Object.entries(PROFILE_COLUMNS) as [ProfileField, ProfileColumn][]),
    ...fields.map(({ name, kind, choices }): [CustomName, ProfileColumn] => [
      `custom.${name}`,
      { ...CUSTOM_CELLS[kind], ...(choices && { words: choices }), into: ["custom", name], synonyms: [] },
    ]),
  ]);
