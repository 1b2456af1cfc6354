import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { csvLine } from "../../lib/csv-writer.ts";
import { syncDirectory } from "../../lib/durable.ts";
import { FileRefused, normalize } from "./columns.ts";
import { type Row, UnreadableRow } from "./row.ts";
import { type Fingerprint, fingerprint, sha256 } from "./source.ts";

/** Writes rejected rows in the format of their file, so that they can be corrected and imported. */
export interface RejectedFormat {
  /** The start of the file. */
  heading: string;
  formatLine(row: Row, reason: string): string;
}

const isAddedColumn = (column: string): boolean => ["line", "reason"].includes(normalize(column));

/** The columns of the file, then `line` and `reason`. In a file of rejected rows they replace the columns of these names. */
export const rejectedCsv = (header: readonly string[], delimiter: string): RejectedFormat => {
  const indexes = header.map((_, index) => index).filter((index) => !isAddedColumn(header[index] ?? ""));
  const lineOf = (cells: readonly string[], line: string, reason: string) =>
    csvLine([...indexes.map((index) => cells[index] ?? ""), line, reason], delimiter);
  return {
    heading: lineOf(header, "line", "reason"),
    formatLine({ line, content }, reason) {
      const cells = content instanceof UnreadableRow ? [] : (content as string[]);
      if (content instanceof UnreadableRow && indexes[0] !== undefined) cells[indexes[0]] = content.text;
      // Cells beyond the header have no column: they go into the reason.
      const beyond =
        cells.length > header.length ? ` (beyond them: ${JSON.stringify(cells.slice(header.length))})` : "";
      return lineOf(cells, String(line), reason + beyond);
    },
  };
};

export const rejectedNdjson: RejectedFormat = {
  heading: "",
  formatLine({ line, content }, reason) {
    const row = content instanceof UnreadableRow ? { text: content.text } : content;
    return `${JSON.stringify({ ...row, line, reason })}\n`;
  },
};

/** How much of the file of rejected rows an import has written, and its SHA-256; null if unknown. */
interface RejectedProgress {
  rejectedBytes: number;
  rejectedHash: string | null;
}

export const NO_REJECTED: RejectedProgress = { rejectedBytes: 0, rejectedHash: null };

const fileExists = (path: string) =>
  new FileRefused(
    `${path} exists already, from an earlier import: correct and import it, or remove it, or name another file with --rejected`,
  );

const fileChanged = (path: string) =>
  new FileRefused(
    `${path} has changed since the earlier import wrote it: import it as a separate file, and name another file with --rejected for new rejected rows`,
  );

/** @throws FileRefused if a new import would overwrite the file */
export const assertNoFile = (path: string): void => {
  if (existsSync(path)) throw fileExists(path);
};

const CHUNK_BYTES = 2 ** 20;

/** The fingerprint of the first `length` bytes; undefined if the file is shorter. */
const readFingerprint = (file: number, length: number): Fingerprint | undefined => {
  const print = fingerprint();
  const buffer = Buffer.alloc(Math.min(CHUNK_BYTES, length));
  for (let at = 0; at < length;) {
    const count = readSync(file, buffer, 0, Math.min(CHUNK_BYTES, length - at), at);
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

/** The name is on disk before the first row in the file counts as rejected. */
const create = (path: string): number => {
  const file = open(path, "wx+");
  syncDirectory(dirname(resolve(path)));
  return file;
};

/** Opens the file of an interrupted import. @throws FileRefused if it does not start with that import's output */
const reopen = (path: string, heading: string, { rejectedBytes, rejectedHash }: RejectedProgress) => {
  const file = open(path, "r+");
  const print = readFingerprint(file, rejectedBytes);
  const isOurs = rejectedHash === null || print?.digest() === rejectedHash;
  // A killed import may have written a first row without counting it.
  const hasHeading =
    rejectedBytes > 0 ||
    readFingerprint(file, Buffer.byteLength(heading))?.digest() === sha256(Buffer.from(heading));
  if (print && isOurs && hasHeading) return { file, print };
  closeSync(file);
  throw hasHeading ? fileChanged(path) : fileExists(path);
};

/** Removes the file of an interrupted import that starts again. @throws FileRefused if it is not as that import wrote it */
export const removeRejectedFile = (path: string, { rejectedBytes, rejectedHash }: RejectedProgress): void => {
  if (!existsSync(path)) return;
  const file = open(path, "r+");
  const isOurs =
    fstatSync(file).size === rejectedBytes &&
    (rejectedBytes === 0 || readFingerprint(file, rejectedBytes)?.digest() === rejectedHash);
  closeSync(file);
  if (!isOurs) throw fileChanged(path);
  rmSync(path);
};

/**
 * Opens the file of rejected rows. The first row creates it, readable for its owner only.
 * @param previous how much an interrupted import has written: anything after it was never counted; undefined if the file must
 *   not exist
 * @throws FileRefused if the file was changed since
 */
export const openRejectedFile = (path: string, heading: string, previous: RejectedProgress | undefined) => {
  // If the user has removed it, a new file is created, with a heading.
  const found = previous && existsSync(path) ? reopen(path, heading, previous) : undefined;
  let file = found?.file;
  const print = found?.print ?? fingerprint();
  let written = (found && previous) ?? NO_REJECTED;
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
    get written(): RejectedProgress {
      return written;
    },
    /** Appends lines. They are on disk when it returns. */
    add(lines: string): void {
      file ??= create(path);
      if (!isReady) ftruncateSync(file, written.rejectedBytes);
      isReady = true;
      if (written.rejectedBytes === 0) write(file, heading);
      write(file, lines);
      fdatasyncSync(file);
    },
    close(): void {
      if (file !== undefined) closeSync(file);
    },
  };
};

export type RejectedFile = ReturnType<typeof openRejectedFile>;
