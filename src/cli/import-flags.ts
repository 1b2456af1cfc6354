import { type Mapping, columnsOf, parseMapping } from "../bulk/columns.ts";
import { WORKBOOK_ADVICE, isWorkbook } from "../bulk/file-kind.ts";
import type { ImportOptions } from "../bulk/import-options.ts";
import type { Format } from "../bulk/read-format.ts";
import { isEncoding } from "../bulk/source.ts";
import { type ValueMapping, parseValueMapping } from "../bulk/value-mapping.ts";
import { quoted } from "../lib/text.ts";
import { assertReadable, assertWritable } from "./file-arguments.ts";
import { delimiterOf, formatOf } from "./file-format.ts";
import { UsageError } from "./usage-error.ts";

export interface ImportFlags extends Record<string, unknown> {
  format?: Format;
  delimiter?: string;
  encoding?: string;
  map: Mapping[];
  value: ValueMapping[];
  createCategories?: boolean;
  dryRun?: boolean;
  rejected?: string;
  again?: boolean;
  raw?: boolean;
  json?: boolean;
}

/** @throws UsageError */
export const addMapping = (text: string, before: Mapping[]): Mapping[] => {
  const mapping = parseMapping(text);
  if (!mapping)
    throw new UsageError(
      `--map: ${JSON.stringify(text)} is not of the form "Animal Name=name"; the fields are name, category (a name), categoryId and status, or ignore`,
    );
  const [column, role] = mapping;
  for (const [otherColumn, otherRole] of before) {
    if (otherColumn === column && otherRole !== role)
      throw new UsageError(
        `--map: the column ${JSON.stringify(column)} is mapped to ${otherRole} and to ${role}`,
      );
    if (otherColumn !== column && otherRole === role && role !== "ignore")
      throw new UsageError(
        `--map: the columns ${JSON.stringify(otherColumn)} and ${JSON.stringify(column)} are both mapped to ${role}`,
      );
  }
  return [...before, mapping];
};

/** @throws UsageError */
export const addValue = (text: string, before: ValueMapping[]): ValueMapping[] => {
  const mapping = parseValueMapping(text);
  if (typeof mapping === "string") throw new UsageError(`--value: ${quoted(text)} ${mapping}`);
  return [...before, mapping];
};

const encodingOf = (name: string | undefined): ImportOptions["encoding"] => {
  if (name === undefined || isEncoding(name)) return name;
  throw new UsageError(
    `--encoding: ${quoted(name)} is not an encoding: use its usual name, such as utf-8, windows-1252 or utf-16be`,
  );
};

/** @throws UsageError */
export const importOptionsOf = (file: string, flags: ImportFlags): ImportOptions => {
  const path = file === "-" ? undefined : file;
  if (path !== undefined) assertReadable(path);
  if (path !== undefined && flags.format === undefined && isWorkbook(path))
    throw new UsageError(`${JSON.stringify(path)}: ${WORKBOOK_ADVICE}`);
  const rejected = flags.rejected ?? (path === undefined ? undefined : `${path}.rejected`);
  if (rejected === undefined && !flags.dryRun)
    throw new UsageError(
      "--rejected: name a file for rejected rows, because standard input has no name to derive it from",
    );
  if (rejected !== undefined && !flags.dryRun) assertWritable(rejected, path);
  return {
    path,
    rejected,
    format: formatOf(path, flags.format),
    delimiter: delimiterOf(flags.delimiter),
    encoding: encodingOf(flags.encoding),
    columns: columnsOf(flags.map),
    values: flags.value,
    isRaw: flags.raw ?? false,
    reimport: flags.again ?? false,
  };
};
