import { openSync, readSync } from "node:fs";

/** Where the counter of transactions is in the file, and where the other fields are behind it, in words. */
const HEADER_OFFSET = 8;
const FRAMES_WORD = 2;
const CHECKSUM_WORD = 4;
const HEADER_WORDS = 6;

/** The part of the WAL index's header that every commit rewrites (https://sqlite.org/walformat.html, section 2.1). */
export interface WalIndexHeader {
  /** Counts transactions. */
  count: number;
  /** How many frames of the log are committed. */
  frames: number;
  /** The checksum of the last frame. */
  checksum: number;
}

/**
 * Reads the header of a database's WAL index, in a microsecond.
 *
 * The descriptor is never closed: POSIX drops all of a process's locks on a file, SQLite's own too, when any descriptor
 * of that file is closed.
 */
export const walIndexReader = (path: string): (() => WalIndexHeader) => {
  const descriptor = openSync(`${path}-shm`, "r");
  const words = new Uint32Array(HEADER_WORDS);
  const bytes = new Uint8Array(words.buffer);
  return () => {
    readSync(descriptor, bytes, 0, bytes.length, HEADER_OFFSET);
    return {
      count: words[0] as number,
      frames: words[FRAMES_WORD] as number,
      checksum: words[CHECKSUM_WORD] as number,
    };
  };
};
