/** One row of a file. */
export interface Row {
  /** The line on which it starts, from 1. */
  line: number;
  /** Its end, in bytes from the start of the file. */
  end: number;
  /** Cells in the order of the header, an object, or text that is neither. */
  content: string[] | Record<string, unknown> | UnreadableRow;
}

/** A row that cannot be read. */
export class UnreadableRow {
  constructor(
    readonly text: string,
    readonly reason: string,
  ) {}
}

/** Rows that were read together. */
export interface Batch {
  rows: Row[];
  /** How many rows of blank cells were skipped. Absent where there can be none. */
  blank?: number;
  /** The file from `start` to `end` or further. */
  bytes: Buffer;
  /** The `end` of the previous batch. */
  start: number;
  /** The end of the last row and of the blank rows after it. */
  end: number;
}

/** A place in a file: after this many bytes, which contain this many line ends. */
export interface Position {
  bytes: number;
  lines: number;
}

export const START: Position = { bytes: 0, lines: 0 };

/**
 * In bytes: more than the longest profile, of 100,000 characters. A longer row has a quote that nothing closes, or the file is
 * something else.
 */
export const MAX_ROW_BYTES = 512 * 1024;
export const TOO_LONG = `is longer than ${MAX_ROW_BYTES / 1024} KiB: only its beginning is kept`;
/** How much of a longer row is kept. */
const MAX_EXCERPT_BYTES = 1000;

/** The start of a line that is too long for the buffer: the rest is skipped as it arrives. */
export type LongLine = Pick<Row, "line" | "content">;

/** The text of a row, or its start if the row is too long. */
export const rowText = (bytes: Buffer, from: number, to: number): string =>
  bytes.toString("utf8", from, to - from > MAX_ROW_BYTES ? from + MAX_EXCERPT_BYTES : to);

export const LF = 10;
export const CR = 13;

export const isLineEnd = (byte: number | undefined): boolean => byte === LF || byte === CR;

/** Counts line ends between two indexes: LF, CR LF, and CR alone. A CR before an LF is not counted by itself. */
export const countLines = (bytes: Buffer, from = 0, to = bytes.length): number => {
  let count = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at];
    if (byte === LF || (byte === CR && bytes[at + 1] !== LF)) count++;
  }
  return count;
};

/** How many of these bytes can be skipped: all, except a CR at the end, which may be half of a line end. */
export const skippableLength = (bytes: Buffer): number =>
  bytes.at(-1) === CR ? bytes.length - 1 : bytes.length;

/** The index after the end of the line that starts at `from`; undefined if all or half of the line end may follow later. */
export const endOfLine = (bytes: Buffer, from: number): number | undefined => {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === LF) return at + 1;
    if (bytes[at] !== CR) continue;
    if (at + 1 === bytes.length) return undefined;
    return bytes[at + 1] === LF ? at + 2 : at + 1;
  }
  return undefined;
};
