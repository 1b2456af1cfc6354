import { type Stats, accessSync, constants, lstatSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { UsageError } from "./usage-error.ts";

/** The longest file name that common file systems allow, in bytes. */
const MAX_NAME_BYTES = 255;

/** Undefined if the path does not exist or cannot be read. */
const statIfPossible = (path: string, look: (path: string) => Stats = statSync): Stats | undefined => {
  try {
    return look(path);
  } catch {
    return undefined;
  }
};

const isAllowed = (path: string, mode: number): boolean => {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
};

/** @throws UsageError if it is not a file that can be read */
export const assertReadable = (path: string): void => {
  const name = JSON.stringify(path);
  const file = statIfPossible(path);
  // A shell's <(...) is no longer open once the executable has replaced itself (heap.ts).
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
