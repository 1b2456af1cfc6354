import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";
import { fileSize } from "../../lib/files.ts";
import { type Log, NO_LOG, PAGE_BYTES, isPageSize, readLog } from "./log.ts";

/** The pages of a database file and its log. Neither file is changed. */
export interface Pages extends Disposable {
  readonly size: number;
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

const pageSizeIn = (handle: number, log: Log): number => {
  const header = new Uint8Array(100);
  readSync(handle, header, 0, header.length, 0);
  const declared = new DataView(header.buffer).getUint16(16);
  if (isPageSize(declared)) return declared;
  return declared === 1 ? 65_536 : (log.pageSize ?? PAGE_BYTES);
};

/** Opens a database file and its log, both for reading only. */
export const openPages = (path: string): Pages => {
  const logPath = `${path}-wal`;
  const bytes = existsSync(logPath) ? readFileSync(logPath) : new Uint8Array();
  const log = bytes.length > 0 ? readLog(bytes) : NO_LOG;
  const handle = openSync(path, "r");
  const size = pageSizeIn(handle, log);
  const inFile = Math.ceil(fileSize(path) / size);
  // A log cannot add more pages than it has.
  const count = log.size > 0 ? Math.min(log.size, inFile + log.pages.size) : inFile;
  return {
    size,
    count,
    log,
    read(page) {
      if (page < 1 || page > count) return undefined;
      if (!log.pages.has(page)) return readAt(handle, (page - 1) * size, size);
      const at = log.pages.get(page);
      return at === undefined ? undefined : bytes.subarray(at, at + size);
    },
    [Symbol.dispose]: () => closeSync(handle),
  };
};
