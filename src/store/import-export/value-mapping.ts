import { PET_STATUSES, parsePetStatus } from "../pets/pet.ts";
import { quantity } from "../../lib/quantity.ts";
import { foldName, quoted, shellWord } from "../../lib/text.ts";
import { PROFILE_COLUMNS } from "./profile-columns.ts";

/** The field whose values are mapped: `status`, `category`, or one with certain words, such as `size` or `custom.coat`. */
type MappedField = string;

/** A value of a file and its replacement, from `--value "status:Rehomed=sold"`. An empty status clears it. */
export interface ValueMapping {
  field: MappedField;
  from: string;
  to: string;
}

/** The words of each field of a profile that has certain ones. */
const wordsOf: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(PROFILE_COLUMNS).flatMap(([field, { words }]) => (words ? [[field, words]] : [])),
);

const fieldNames: ReadonlyMap<string, MappedField> = new Map(
  ["status", "category", ...wordsOf.keys()].map((field) => [field.toLowerCase(), field]),
);

/** Parses `status:Rehomed=sold`; the reason if it is malformed. */
export const parseValueMapping = (text: string): ValueMapping | string => {
  const [, name = "", from = "", to = ""] = /^([\w.]+):(.+)=(.*)$/su.exec(text) ?? [];
  const field = name.startsWith("custom.") ? name : fieldNames.get(name.toLowerCase());
  if (field === undefined)
    return 'is not of the form "status:Rehomed=sold", "category:Canine=Dog" or "size:Toy=small"';
  const word = to.trim();
  const words = wordsOf.get(field);
  if (words && !words.includes(word))
    return `maps to ${quoted(to)}, which is not a ${field}: use ${words.join(", ")}`;
  const target = field === "status" ? parsePetStatus(to) : word;
  if (target === undefined && word !== "")
    return `maps to ${quoted(to)}, which is not a status: use ${PET_STATUSES.join(", ")}, or nothing for none`;
  if (field === "category" && target === "") return "maps to no category: name one";
  return { field, from, to: target ?? "" };
};

/** Translates the values of a file. Their case and spacing make no difference. */
export const valueTranslator = (mappings: readonly ValueMapping[]) => {
  const maps = new Map(
    [...Map.groupBy(mappings, ({ field }) => field)].map(([field, ofField]) => [
      field,
      new Map(ofField.map(({ from, to }) => [foldName(from), to])),
    ]),
  );
  return (field: MappedField, value: string): string => maps.get(field)?.get(foldName(value)) ?? value;
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
  const words = new Map<MappedField, string>();
  const counts = new Map<MappedField, Map<string, number>>();
  const remedies = new Map<string, string>();
  const noteOf = (field: MappedField, values: ReadonlyMap<string, number>): string => {
    const told = [...values]
      .map(([value, count]) => `${quoted(value)} (${quantity(count, "row")})`)
      .join(", ");
    const flagsFrom = (flagOf: (value: string) => string) => [...values.keys()].map(flagOf).join(" ");
    if (field === "status") return `no status is called ${told}: add ${flagsFrom(statusFlag)}`;
    if (field === "category")
      return `no category is called ${told}: add --create-categories, or map them: ${flagsFrom((value) => valueFlag(field, value, "NAME"))}`;
    const flags = flagsFrom((value) => valueFlag(field, value, field.replace("custom.", "").toUpperCase()));
    return `${field}: ${told} ${values.size === 1 ? "is" : "are"} not one of ${words.get(field)}: add ${flags}`;
  };
  return {
    /** @param meanings the words of the field */
    add(field: MappedField, value: string, meanings: readonly string[] = []): void {
      words.set(field, meanings.join(", "));
      const values = counts.get(field) ?? new Map<string, number>();
      counts.set(field, values);
      const count = values.get(value) ?? 0;
      if (count > 0 || values.size < MAX_VALUES) values.set(value, count + 1);
    },
    /** @param cause of several remedies for one, the first is reported */
    addRemedy(cause: string, remedy: string): void {
      if (!remedies.has(cause)) remedies.set(cause, remedy);
    },
    /** The first unknown values of each field. */
    list: () =>
      [...counts].flatMap(([field, values]) => [...values].map(([value, rows]) => ({ field, value, rows }))),
    /** One note for each field and each cause. */
    notes: (): string[] => [
      ...[...counts].map(([field, values]) => noteOf(field, values)),
      ...remedies.values(),
    ],
  };
};

export type UnknownValues = ReturnType<typeof unknownValues>;
