import { type Stats, accessSync, constants, lstatSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { UsageError } from "./usage-error.ts";

/** Longest name of a file, in bytes, as file systems have it. */
const MAX_NAME = 255;

/** What is there; undefined if nothing is, or nothing that can be looked at. */
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

/** @throws UsageError if it is no file that can be read */
export const assertReadable = (path: string): void => {
  const shown = JSON.stringify(path);
  const file = found(path);
  // What a shell hands over so, as <(...), is gone since the executable has replaced itself.
  if (!file && !path.startsWith("/dev/fd/")) throw new UsageError(`there is no file ${shown}`);
  if (!file?.isFile())
    throw new UsageError(`${shown} is no ordinary file: send it to standard input, with -`);
  if (!may(path, constants.R_OK)) throw new UsageError(`${shown} cannot be read by this user`);
};

const refuse = (what: string) => new UsageError(`--rejected: ${what}; name another file`);

/** @throws UsageError if rejected rows cannot be written there, or would be written over the file to import */
export const assertWritable = (rejected: string, input: string | undefined): void => {
  const shown = JSON.stringify(rejected);
  const file = found(rejected);
  const of = input === undefined ? undefined : found(input);
  if (file && of && file.ino === of.ino && file.dev === of.dev)
    throw refuse(`${shown} is the file to import`);
  if (found(rejected, lstatSync) && !file?.isFile()) throw refuse(`${shown} is no ordinary file`);
  const directory = dirname(rejected);
  const above = found(directory);
  if (!above) throw refuse(`there is no directory ${JSON.stringify(directory)}`);
  if (!above.isDirectory()) throw refuse(`${JSON.stringify(directory)} is no directory`);
  const isWritable = file ? may(rejected, constants.W_OK) : may(directory, constants.W_OK | constants.X_OK);
  if (!isWritable || Buffer.byteLength(basename(rejected)) > MAX_NAME)
    throw refuse(`${shown} cannot be written`);
};
