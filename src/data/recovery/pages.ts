import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";
import { fileSize } from "../../lib/files.ts";
import { type Log, NO_LOG, PAGE_BYTES, readLog } from "./log.ts";

/** The pages of a database file and its log. Neither file is changed. */
export interface Pages extends Disposable {
  readonly count: number;
  readonly log: Log;
  /** Undefined for a page that is missing, cut off, or has only zeros, which no page in use has. */
  read(page: number): Uint8Array | undefined;
}

const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0);

const readAt = (handle: number, at: number, length: number): Uint8Array | undefined => {
  const bytes = new Uint8Array(length);
  return readSync(handle, bytes, 0, length, at) < length || isZero(bytes) ? undefined : bytes;
};

/** Opens a database file and its log, both for reading only. */
export const openPages = (path: string): Pages => {
  const logPath = `${path}-wal`;
  const bytes = existsSync(logPath) ? readFileSync(logPath) : new Uint8Array();
  const log = bytes.length > 0 ? readLog(bytes) : NO_LOG;
  const handle = openSync(path, "r");
  const inFile = Math.ceil(fileSize(path) / PAGE_BYTES);
  // A log cannot add more pages than it has.
  const count = log.size > 0 ? Math.min(log.size, inFile + log.pages.size) : inFile;
  return {
    count,
    log,
    read(page) {
      if (page < 1 || page > count) return undefined;
      if (!log.pages.has(page)) return readAt(handle, (page - 1) * PAGE_BYTES, PAGE_BYTES);
      const at = log.pages.get(page);
      return at === undefined ? undefined : bytes.subarray(at, at + PAGE_BYTES);
    },
    [Symbol.dispose]: () => closeSync(handle),
  };
};
