/** One row of a file. */
export interface Row {
  /** The line that it begins on, counted from 1. */
  line: number;
  /** Where it ends: bytes from the beginning of the file. */
  end: number;
  /** What it says: cells in the order of the header, an object, or text that is neither, with the reason. */
  content: string[] | Record<string, unknown> | UnreadableRow;
}

/** A row that cannot be read. */
export class UnreadableRow {
  constructor(
    readonly text: string,
    readonly reason: string,
  ) {}
}

/** Rows that were read together, and the bytes that they were read from. */
export interface Batch {
  rows: Row[];
  /** How many rows of blank cells were among them; left out where there can be none. */
  blank?: number;
  /** From `start` on, to `end` and beyond. */
  bytes: Buffer;
  /** The end of the batch before. */
  start: number;
  /** The end of the last row, and of the blank ones behind it. */
  end: number;
}

/** Where to begin reading: behind this many bytes, which had this many line ends. */
export interface Position {
  bytes: number;
  lines: number;
}

export const START: Position = { bytes: 0, lines: 0 };

/** Longest row, in bytes: what is longer has a quote that nothing closes, or is none of ours. */
export const MAX_ROW = 128 * 1024;
export const TOO_LONG = `is longer than ${MAX_ROW / 1024} KiB: only its beginning is kept`;
/** How much is kept of one that is longer. */
const MAX_EXCERPT = 1000;

/** The beginning of a line that is too long to be held: what is left of it is passed over as it comes. */
export type LongLine = Pick<Row, "line" | "content">;

/** The text of a row that cannot be read, or its beginning. */
export const rowText = (bytes: Buffer, from: number, to: number): string =>
  bytes.toString("utf8", from, to - from > MAX_ROW ? from + MAX_EXCERPT : to);

export const LF = 10;
export const CR = 13;

export const isLineEnd = (byte: number | undefined): boolean => byte === LF || byte === CR;

/** Counts line ends in bytes, up to `to`: LF, CR LF, and CR alone, which is none yet if an LF is the next. */
export const countLines = (bytes: Buffer, from = 0, to = bytes.length): number => {
  let count = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at];
    if (byte === LF || (byte === CR && bytes[at + 1] !== LF)) count++;
  }
  return count;
};

/** How many of these bytes can be passed over: all but the half of a line end. */
export const skippableLength = (bytes: Buffer): number =>
  bytes.at(-1) === CR ? bytes.length - 1 : bytes.length;

/** Where the line ends that begins at `from`, with its line end; undefined if that, or half of it, may be still to come. */
export const endOfLine = (bytes: Buffer, from: number): number | undefined => {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === LF) return at + 1;
    if (bytes[at] !== CR) continue;
    if (at + 1 === bytes.length) return undefined;
    return bytes[at + 1] === LF ? at + 2 : at + 1;
  }
  return undefined;
};
