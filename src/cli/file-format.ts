import { extname } from "node:path";
import { Option } from "commander";
import { DELIMITERS } from "../bulk/csv-header.ts";
import type { Format } from "../bulk/read-format.ts";
import { UsageError } from "./usage-error.ts";

const FORMATS: Readonly<Record<string, Format>> = {
  ".csv": "csv",
  ".tsv": "csv",
  ".txt": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  // Rejected rows are written beside their file: animals.csv.rejected.
  ".rejected": "csv",
};

/** The format from `--format`, or else from the file's name. @throws UsageError if neither tells it */
export const formatOf = (path: string | undefined, format: Format | undefined): Format => {
  if (format) return format;
  const name = path?.toLowerCase().replace(/(\.rejected)+$/, "") ?? "";
  const found = FORMATS[extname(name)];
  if (!found)
    throw new UsageError(
      `cannot tell the format from ${path === undefined ? "standard input" : `the name ${JSON.stringify(path)}`}: add --format csv or --format ndjson`,
    );
  return found;
};

/** The separator from `--delimiter`, which is its name or the character itself. @throws UsageError */
export const delimiterOf = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined;
  const named: string | undefined = (DELIMITERS as Record<string, string>)[text];
  const delimiter = named ?? (text === "\\t" ? "\t" : text);
  if (delimiter.length !== 1 || /["\r\n]/.test(delimiter))
    throw new UsageError(
      `--delimiter: ${JSON.stringify(text)} is not a separator: use ${Object.keys(DELIMITERS).join(", ")} or one character`,
    );
  return delimiter;
};

/** The flag of earlier versions that guarded formulas, which is now the default. Scripts that pass it still work. */
export const formerGuardFlag = (): Option => new Option("--for-spreadsheets").hideHelp().conflicts("raw");
