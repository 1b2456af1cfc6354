/** One row of a file. */
export interface Row {
  /** The line that it begins on, counted from 1. */
  line: number;
  /** Where it ends: bytes from the beginning of the file. */
  end: number;
  /** What it says: cells in the order of the header, an object, or text that is neither, with the reason. */
  content: string[] | Record<string, unknown> | Broken;
}

/** A row that cannot be read. */
export class Broken {
  constructor(
    readonly text: string,
    readonly reason: string,
  ) {}
}

/** Rows that were read together, and the bytes that they were read from. */
export interface Batch {
  rows: Row[];
  /** From `start` on, the end of the batch before, to the end of the last row and beyond. */
  bytes: Buffer;
  start: number;
}

/** Where to begin reading: behind this many bytes, which had this many line ends. */
export interface Place {
  bytes: number;
  lines: number;
}

export const BEGINNING: Place = { bytes: 0, lines: 0 };

/** Longest row, in bytes: what is longer has a quote that nothing closes, or is none of ours. */
export const MOST_ROW = 128 * 1024;

const LINE_FEED = 10;

/** Counts line ends in bytes. */
export const countLines = (bytes: Buffer, from = 0, to = bytes.length): number => {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED, from); at !== -1 && at < to; at = bytes.indexOf(LINE_FEED, at + 1))
    count++;
  return count;
};
