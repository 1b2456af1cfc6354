import { quoted } from "../../lib/text.ts";
import { type KeyField, type Mapping, normalize, parseMapping } from "./columns.ts";
import { DELIMITERS } from "./csv-reader.ts";
import type { ImportQuery } from "./model.ts";
import type { ImportRequest } from "./service.ts";
import { type Encoding, isEncoding } from "./source.ts";
import { parseValueMapping, type ValueMapping } from "./value-mapping.ts";

/** An option of an import has no meaning. The message begins with its flag. */
export class InvalidOption extends Error {
  override name = "InvalidOption";
}

/** @throws InvalidOption */
export const addMapping = (text: string, before: readonly Mapping[]): Mapping[] => {
  const mapping = parseMapping(text);
  if (!mapping)
    throw new InvalidOption(
      `--map: ${JSON.stringify(text)} is not of the form "Animal Name=name"; the fields are name, category (a name), categoryId, status, the members of a profile such as birthDate, and custom fields such as custom.coat, or ignore`,
    );
  const [column, role] = mapping;
  for (const [otherColumn, otherRole] of before) {
    if (otherColumn === column && otherRole !== role)
      throw new InvalidOption(
        `--map: the column ${JSON.stringify(column)} is mapped to ${otherRole} and to ${role}`,
      );
    if (otherColumn !== column && otherRole === role && role !== "ignore")
      throw new InvalidOption(
        `--map: the columns ${JSON.stringify(otherColumn)} and ${JSON.stringify(column)} are both mapped to ${role}`,
      );
  }
  return [...before, mapping];
};

/** @throws InvalidOption */
export const addValue = (text: string, before: readonly ValueMapping[]): ValueMapping[] => {
  const mapping = parseValueMapping(text);
  if (typeof mapping === "string") throw new InvalidOption(`--value: ${quoted(text)} ${mapping}`);
  return [...before, mapping];
};

/** @throws InvalidOption */
const encodingOf = (name: string | undefined): Encoding => {
  if (name === undefined || isEncoding(name)) return name;
  throw new InvalidOption(
    `--encoding: ${quoted(name)} is not an encoding: use its usual name, such as utf-8, windows-1252 or utf-16be`,
  );
};

/** @throws InvalidOption */
const currencyOf = (code: string | undefined): string | undefined => {
  const currency = code?.toUpperCase();
  if (currency === undefined || Intl.supportedValuesOf("currency").includes(currency)) return currency;
  throw new InvalidOption(
    `--currency: ${quoted(code ?? "")} is not a currency code of ISO 4217, such as EUR`,
  );
};

/** The separator of cells from its name or the character itself. @throws InvalidOption */
const delimiterOf = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined;
  const named = Object.hasOwn(DELIMITERS, text) ? DELIMITERS[text as keyof typeof DELIMITERS] : undefined;
  const delimiter = named ?? (text === "\\t" ? "\t" : text);
  if (delimiter.length !== 1 || /["\r\n]/.test(delimiter))
    throw new InvalidOption(
      `--delimiter: ${JSON.stringify(text)} is not a separator: use ${Object.keys(DELIMITERS).join(", ")} or one character`,
    );
  return delimiter;
};

/** Options as users write them. */
type Flags = { [Name in keyof ImportQuery]?: ImportQuery[Name] | undefined } & {
  map: readonly Mapping[];
  value: readonly ValueMapping[];
};

/** The field that finds animals, and the mapping of its column. @throws InvalidOption */
const keyOf = ({
  update,
  key,
  missing,
  map,
}: Flags): { key: KeyField | undefined; map: readonly Mapping[] } => {
  if (!update && (key !== undefined || missing !== undefined))
    throw new InvalidOption(`${key === undefined ? "--missing" : "--key"} works only with --update`);
  const isKey = (column: string) => key !== undefined && normalize(column) === normalize(key);
  const [idColumn] = map.find(([, role]) => role === "id") ?? [];
  if (idColumn !== undefined && !isKey(idColumn) && !isKey("id"))
    throw new InvalidOption("--map: id works only with --update --key id");
  if (!update) return { key: undefined, map };
  if (key === undefined)
    throw new InvalidOption(
      '--update needs --key: the column that identifies each animal, such as --key "Animal ID"',
    );
  if (map.some(([column, role]) => role === "reference" && isKey(column))) return { key: "reference", map };
  if (idColumn !== undefined || isKey("id")) return { key: "id", map };
  const [, field = "reference"] = parseMapping(`x=${key}`) ?? [];
  if (field !== "reference")
    throw new InvalidOption(
      `--key: ${quoted(key)} is the ${field}, which several animals may have: use id, or a column of references`,
    );
  const isField = parseMapping(`x=${key}`) !== undefined;
  return { key: "reference", map: isField ? map : addMapping(`${key}=reference`, map) };
};

/** @throws InvalidOption */
export const optionsOf = (flags: Flags): Omit<ImportRequest, "path" | "name" | "rejected" | "format"> => ({
  ...keyOf(flags),
  delimiter: delimiterOf(flags.delimiter),
  encoding: encodingOf(flags.encoding),
  values: flags.value,
  createsFields: flags.createFields ?? false,
  createsCategories: flags.createCategories ?? false,
  isDry: flags.dryRun ?? false,
  dates: flags.dates,
  currency: currencyOf(flags.currency),
  missing: flags.missing,
  isConfirmed: flags.confirmed ?? false,
  isRaw: flags.raw ?? false,
  reimport: flags.again ?? false,
});
