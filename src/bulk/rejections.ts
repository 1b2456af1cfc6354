import { closeSync, existsSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { FileRefused } from "./columns.ts";

/** The file of rejected rows: made with the first of them, for its owner alone. */
export interface Rejections {
  /** Appends lines, on disk when it returns. @returns the file's length */
  add(lines: string): number;
  close(): void;
}

/** @throws FileRefused if an import that begins would overwrite one */
export const assertFree = (path: string): void => {
  if (!existsSync(path)) return;
  throw new FileRefused(
    `${path} exists, of an import before: mend and import it, or remove it, or name another file with --rejected`,
  );
};

/** @param length of the file when the import ended that this one goes on with: what is behind that was never counted. */
export const openRejections = (path: string, heading: string, length: number): Rejections => {
  let file: number | undefined;
  let at = length;
  const write = (text: string) => {
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length;)
      done += writeSync(file as number, bytes, done, bytes.length - done, at + done);
    at += bytes.length;
  };
  const open = () => {
    file = openSync(path, existsSync(path) ? "r+" : "wx+", 0o600);
    // Shorter if it was taken away meanwhile: what follows must have a heading all the same.
    at = Math.min(length, fstatSync(file).size);
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
