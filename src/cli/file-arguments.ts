import { constants, lstatSync, type Stats, statSync } from "node:fs";
import { basename, dirname, extname } from "node:path";
import type { Format } from "../store/import-export/read-format.ts";
import { isAllowed } from "../lib/files.ts";
import { UsageError } from "./input.ts";
import { attempt } from "../lib/attempt.ts";

export const FORMATS = ["csv", "ndjson"] as const satisfies readonly Format[];

const FORMAT_OF: Readonly<Record<string, Format>> = {
  ".csv": "csv",
  ".tsv": "csv",
  ".txt": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  // Rejected rows are written next to their file: animals.csv.rejected.
  ".rejected": "csv",
};

/** The format from `--format`, or else from the file's name. @throws UsageError if neither tells it */
export const formatOf = (path: string | undefined, format: Format | undefined): Format => {
  if (format) return format;
  const name = path?.toLowerCase().replace(/(\.rejected)+$/, "") ?? "";
  const found = FORMAT_OF[extname(name)];
  if (!found)
    throw new UsageError(
      `cannot tell the format from ${path === undefined ? "standard input" : `the name ${JSON.stringify(path)}`}: add --format csv or --format ndjson`,
    );
  return found;
};

/** The flag of earlier versions that guarded formulas, which is now the default. Scripts that pass it still work. */
export const FORMER_GUARD_FLAG = { "--for-spreadsheets": { text: "", hidden: true, conflicts: ["raw"] } };

/** The longest file name that common file systems allow, in bytes. */
const MAX_NAME_BYTES = 255;

/** Undefined if the path does not exist or cannot be read. */
const statIfPossible = (path: string, look: (path: string) => Stats = statSync): Stats | undefined =>
  attempt(() => look(path));

/** @throws UsageError if it is not a file that can be read */
export const assertReadable = (path: string): void => {
  const name = JSON.stringify(path);
  const file = statIfPossible(path);
  // A shell's <(...) is closed by the time the executable has replaced itself (heap.ts).
  if (!file && !path.startsWith("/dev/fd/")) throw new UsageError(`${name} does not exist: check the name`);
  if (file?.isDirectory()) throw new UsageError(`${name} is a directory: name a file in it`);
  if (!file?.isFile())
    throw new UsageError(`${name} is not an ordinary file: pipe it to standard input, and name the file -`);
  if (!isAllowed(path, constants.R_OK))
    throw new UsageError(`${name} cannot be read by this user: check its permissions`);
};

const refusal = (what: string) => new UsageError(`--rejected: ${what}; name another file`);

/** @throws UsageError if rejected rows cannot be written there, or would overwrite the file to import */
export const assertWritable = (rejected: string, input: string | undefined): void => {
  const name = JSON.stringify(rejected);
  const file = statIfPossible(rejected);
  const of = input === undefined ? undefined : statIfPossible(input);
  if (file && of && file.ino === of.ino && file.dev === of.dev)
    throw refusal(`${name} is the file to import`);
  if (statIfPossible(rejected, lstatSync) && !file?.isFile())
    throw refusal(`${name} is not an ordinary file`);
  const directory = dirname(rejected);
  const above = statIfPossible(directory);
  if (!above) throw refusal(`the directory ${JSON.stringify(directory)} does not exist`);
  if (!above.isDirectory()) throw refusal(`${JSON.stringify(directory)} is not a directory`);
  const isWritable = file
    ? isAllowed(rejected, constants.W_OK)
    : isAllowed(directory, constants.W_OK | constants.X_OK);
  if (!isWritable || Buffer.byteLength(basename(rejected)) > MAX_NAME_BYTES)
    throw refusal(`${name} cannot be written`);
};
