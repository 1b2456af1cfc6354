import { closeSync, existsSync, fdatasyncSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { syncDirectory } from "../lib/durable.ts";
import { FileRefused } from "./columns.ts";
import { type Fingerprint, fingerprint, hashOf } from "./source.ts";

/** So much of the file of rejected rows is an import's own, and its SHA-256; null if that was not written down. */
export interface RejectedProgress {
  rejectedBytes: number;
  rejectedHash: string | null;
}

export const NO_REJECTED: RejectedProgress = { rejectedBytes: 0, rejectedHash: null };

/** The file of rejected rows: made with the first of them, for its owner alone. */
export interface RejectedFile {
  readonly written: RejectedProgress;
  /** Appends lines, on disk when it returns. */
  add(lines: string): void;
  close(): void;
}

const fileExists = (path: string) =>
  new FileRefused(
    `${path} exists, of an import before: mend and import it, or remove it, or name another file with --rejected`,
  );

const fileChanged = (path: string) =>
  new FileRefused(
    `${path} is not as the import before left it: import it as a file of its own, and name another with --rejected for what is rejected from here on`,
  );

/** @throws FileRefused if an import that begins would overwrite one */
export const assertNoFile = (path: string): void => {
  if (existsSync(path)) throw fileExists(path);
};

const CHUNK = 2 ** 20;

/** Reads so many bytes from the beginning; undefined if there are fewer. */
const read = (file: number, length: number): Fingerprint | undefined => {
  const print = fingerprint();
  const buffer = Buffer.alloc(Math.min(CHUNK, length));
  for (let at = 0; at < length;) {
    const count = readSync(file, buffer, 0, Math.min(CHUNK, length - at), at);
    if (count === 0) return undefined;
    print.add(buffer.subarray(0, count));
    at += count;
  }
  return print;
};

const open = (path: string, flags: "r+" | "wx+"): number => {
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw fileExists(path);
    throw new FileRefused(`${path} cannot be written: name another file with --rejected`, { cause: error });
  }
};

/** Its name is durable before the first row in it counts as rejected. */
const create = (path: string): number => {
  const file = open(path, "wx+");
  syncDirectory(dirname(resolve(path)));
  return file;
};

/** Opens a file where an import has ended. @throws FileRefused if that is no longer what the import has written */
const openAgain = (path: string, heading: string, { rejectedBytes, rejectedHash }: RejectedProgress) => {
  const file = open(path, "r+");
  const print = read(file, rejectedBytes);
  const isOurs = rejectedHash === null || print?.digest() === rejectedHash;
  // An import that was killed may have written a first row that was never counted.
  const hasHeading =
    rejectedBytes > 0 || read(file, Buffer.byteLength(heading))?.digest() === hashOf(Buffer.from(heading));
  if (print && isOurs && hasHeading) return { file, print };
  closeSync(file);
  throw hasHeading ? fileChanged(path) : fileExists(path);
};

/**
 * @param before what the import that this one goes on with has written, if the file is its own: what is behind that was never
 *   counted; undefined if there must be none
 * @throws FileRefused if it was changed since
 */
export const openRejectedFile = (
  path: string,
  heading: string,
  before: RejectedProgress | undefined,
): RejectedFile => {
  // Where it was taken away meanwhile, what follows must have a heading all the same.
  const found = before && existsSync(path) ? openAgain(path, heading, before) : undefined;
  let file = found?.file;
  const print = found?.print ?? fingerprint();
  let written = (found && before) ?? NO_REJECTED;
  let isReady = false;
  const write = (to: number, text: string) => {
    const bytes = Buffer.from(text);
    const from = written.rejectedBytes;
    for (let done = 0; done < bytes.length;)
      done += writeSync(to, bytes, done, bytes.length - done, from + done);
    print.add(bytes);
    written = { rejectedBytes: from + bytes.length, rejectedHash: print.digest() };
  };
  return {
    get written() {
      return written;
    },
    add(lines) {
      file ??= create(path);
      if (!isReady) ftruncateSync(file, written.rejectedBytes);
      isReady = true;
      if (written.rejectedBytes === 0) write(file, heading);
      write(file, lines);
      fdatasyncSync(file);
    },
    close: () => file !== undefined && closeSync(file),
  };
};
