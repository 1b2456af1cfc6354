import { type Stats, accessSync, constants, lstatSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { UsageError } from "./usage-error.ts";

/** The longest file name that common file systems allow, in bytes. */
const MAX_NAME = 255;

/** Undefined if nothing is there, or it cannot be looked at. */
const found = (path: string, look: (path: string) => Stats = statSync): Stats | undefined => {
  try {
    return look(path);
  } catch {
    return undefined;
  }
};

const may = (path: string, mode: number): boolean => {
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
  const file = found(path);
  // A shell's <(...) is no longer open: the executable has replaced itself since.
  if (!file && !path.startsWith("/dev/fd/")) throw new UsageError(`there is no file ${name}: check the name`);
  if (!file?.isFile())
    throw new UsageError(`${name} is not an ordinary file: pipe it to standard input, and name the file -`);
  if (!may(path, constants.R_OK))
    throw new UsageError(`${name} cannot be read by this user: check its permissions`);
};

const refuse = (what: string) => new UsageError(`--rejected: ${what}; name another file`);

/** @throws UsageError if rejected rows cannot be written there, or would be written over the file to import */
export const assertWritable = (rejected: string, input: string | undefined): void => {
  const name = JSON.stringify(rejected);
  const file = found(rejected);
  const of = input === undefined ? undefined : found(input);
  if (file && of && file.ino === of.ino && file.dev === of.dev) throw refuse(`${name} is the file to import`);
  if (found(rejected, lstatSync) && !file?.isFile()) throw refuse(`${name} is not an ordinary file`);
  const directory = dirname(rejected);
  const above = found(directory);
  if (!above) throw refuse(`there is not a directory ${JSON.stringify(directory)}`);
  if (!above.isDirectory()) throw refuse(`${JSON.stringify(directory)} is not a directory`);
  const isWritable = file ? may(rejected, constants.W_OK) : may(directory, constants.W_OK | constants.X_OK);
  if (!isWritable || Buffer.byteLength(basename(rejected)) > MAX_NAME)
    throw refuse(`${name} cannot be written`);
};
