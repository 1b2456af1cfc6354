import { PET_STATUSES, parsePetStatus } from "../pets/pet.ts";
import { quantity } from "../../lib/quantity.ts";
import { foldName, quoted, shellWord } from "../../lib/text.ts";

/** The fields whose values can be mapped. */
const MAPPED_FIELDS = ["status", "category"] as const;
type MappedField = (typeof MAPPED_FIELDS)[number];

/** A value of a file and its replacement, from `--value "status:Rehomed=sold"`. An empty status clears it. */
export interface ValueMapping {
  field: MappedField;
  from: string;
  to: string;
}

/** Parses `status:Rehomed=sold`; the reason if it is malformed. */
export const parseValueMapping = (text: string): ValueMapping | string => {
  const [, name = "", from = "", to = ""] = /^(\w+):(.+)=(.*)$/su.exec(text) ?? [];
  const field = MAPPED_FIELDS.find((one) => one === name.toLowerCase());
  if (field === undefined) return 'is not of the form "status:Rehomed=sold" or "category:Canine=Dog"';
  const target = field === "status" ? parsePetStatus(to) : to.trim();
  if (target === undefined && to.trim() !== "")
    return `maps to ${quoted(to)}, which is not a status: use ${PET_STATUSES.join(", ")}, or nothing for none`;
  if (field === "category" && target === "") return "maps to no category: name one";
  return { field, from, to: target ?? "" };
};

/** Translates the values of a file. Their case and spacing make no difference. */
export const valueTranslator = (mappings: readonly ValueMapping[]) => {
  const mapFor = (wanted: MappedField) =>
    new Map(mappings.filter(({ field }) => field === wanted).map(({ from, to }) => [foldName(from), to]));
  const maps: Record<MappedField, ReadonlyMap<string, string>> = {
    status: mapFor("status"),
    category: mapFor("category"),
  };
  return (field: MappedField, value: string): string =>
    maps[field].size === 0 ? value : (maps[field].get(foldName(value)) ?? value);
};

export type TranslateValue = ReturnType<typeof valueTranslator>;

/** Shelters' names for the statuses, in lower case. */
const STATUS_WORDS: Readonly<Record<(typeof PET_STATUSES)[number], RegExp>> = {
  sold: /adopted|homed|sold|placed/,
  pending: /hold|reserved|pending|progress|application|trial/,
  available: /available|adoptable|ready|looking for|in shelter|for adoption/,
};
const NEGATION = /^(un|non|not )/;

/** A longer value is not repeated in a flag. */
const MAX_REPEATED = 64;

const valueFlag = (field: MappedField, value: string, to: string): string =>
  `--value ${shellWord(`${field}:${value.length > MAX_REPEATED ? "VALUE" : value}=${to}`)}`;

/** The flag that maps an unknown status: with the status that it most likely means, or STATUS for the user to fill in. */
const statusFlag = (value: string): string => {
  const text = foldName(value);
  const status = NEGATION.test(text) ? undefined : PET_STATUSES.find((one) => STATUS_WORDS[one].test(text));
  return valueFlag("status", value, status ?? "STATUS");
};

/** How many different values are counted. */
const MAX_VALUES = 20;

/** Counts the unknown values of a file, for a note with a remedy. */
export const unknownValues = () => {
  const counts: Record<MappedField, Map<string, number>> = { status: new Map(), category: new Map() };
  const flags: Record<MappedField, (value: string) => string> = {
    status: statusFlag,
    category: (value) => valueFlag("category", value, "NAME"),
  };
  let date: string | undefined;
  const dateNote = (): string[] =>
    date === undefined
      ? []
      : [`the day and the month of ${quoted(date)} may be in either order: add --dates dmy or --dates mdy`];
  const noteOf = (field: MappedField, values: ReadonlyMap<string, number>): string => {
    const told = [...values]
      .map(([value, count]) => `${quoted(value)} (${quantity(count, "row")})`)
      .join(", ");
    const mapping = [...values.keys()].map(flags[field]).join(" ");
    return field === "status"
      ? `no status is called ${told}: add ${mapping}`
      : `no category is called ${told}: add --create-categories, or map them: ${mapping}`;
  };
  return {
    add(field: MappedField, value: string): void {
      const values = counts[field];
      const count = values.get(value) ?? 0;
      if (count > 0 || values.size < MAX_VALUES) values.set(value, count + 1);
    },
    /** Of a date that may be two days. */
    addDate(text: string): void {
      date ??= text;
    },
    /** One note for each field. */
    notes: (): string[] => [
      ...MAPPED_FIELDS.filter((field) => counts[field].size > 0).map((field) => noteOf(field, counts[field])),
      ...dateNote(),
    ],
  };
};

export type UnknownValues = ReturnType<typeof unknownValues>;
