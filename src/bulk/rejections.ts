import { closeSync, existsSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { FileRefused } from "./columns.ts";

/** The file of rejected rows: made with the first of them, for its owner alone. */
export interface Rejections {
  /** Appends lines, on disk when it returns. @returns the file's length */
  add(lines: string): number;
  close(): void;
}

const taken = (path: string) =>
  new FileRefused(
    `${path} exists, of an import before: mend and import it, or remove it, or name another file with --rejected`,
  );

/** @throws FileRefused if an import that begins would overwrite one */
export const assertFree = (path: string): void => {
  if (existsSync(path)) throw taken(path);
};

/** Opens a file that is this import's own, or makes one. @throws FileRefused if it is another's */
const openFile = (path: string, isOurs: boolean): number => {
  try {
    return openSync(path, isOurs && existsSync(path) ? "r+" : "wx+", 0o600);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "EEXIST" ? taken(path) : error;
  }
};

/**
 * @param length of the file when the import ended that this one goes on with, whose file it is: what is behind that was never
 *   counted; undefined if there must be none
 */
export const openRejections = (path: string, heading: string, length: number | undefined): Rejections => {
  let file: number | undefined;
  let at = 0;
  const write = (text: string) => {
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length;)
      done += writeSync(file as number, bytes, done, bytes.length - done, at + done);
    at += bytes.length;
  };
  const open = () => {
    file = openFile(path, length !== undefined);
    // Shorter if it was taken away meanwhile: what follows must have a heading all the same.
    at = Math.min(length ?? 0, fstatSync(file).size);
    ftruncateSync(file, at);
    if (at === 0) write(heading);
  };
  return {
    add(lines) {
      if (file === undefined) open();
      write(lines);
      fdatasyncSync(file as number);
      return at;
    },
    close: () => file !== undefined && closeSync(file),
  };
};
