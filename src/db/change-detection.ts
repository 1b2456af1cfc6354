import { openSync, readSync } from "node:fs";
import type { Database as Client } from "bun:sqlite";

/** Detects writes of other connections and processes, without a lock. */
export interface ChangeDetector {
  /** Looks for committed writes of others since the last look, and counts a find in `foreign`. */
  detect(): void;
  /** How many looks have found writes of others. */
  foreign(): number;
  /** Call it when this connection has the write lock and is about to write. */
  beginOwn(): void;
  /** Call it when this connection's write is committed. @param wrote true if it changed anything */
  endOwn(wrote: boolean): void;
}

/**
 * The WAL index begins with a header that every commit rewrites (https://sqlite.org/walformat.html, section 2): at byte
 * 8 a counter of transactions, at 24 the checksum of the last frame. Reading it takes a microsecond. `PRAGMA
 * data_version` says the same, but takes and releases a lock: 5 of the 25 microseconds of a request.
 *
 * The descriptor is never closed: POSIX drops all of a process's locks on a file, SQLite's own too, when any descriptor
 * of that file is closed.
 */
const walIndexReader = (path: string) => {
  const descriptor = openSync(`${path}-shm`, "r");
  const words = new Uint32Array(6);
  const bytes = new Uint8Array(words.buffer);
  return (): { count: number; checksum: number } => {
    readSync(descriptor, bytes, 0, bytes.length, 8);
    return { count: words[0] as number, checksum: words[4] as number };
  };
};

const NO_CHANGES: ChangeDetector = {
  detect: () => {},
  foreign: () => 0,
  beginOwn: () => {},
  endOwn: () => {},
};

/** Watches the file of this connection. Nobody else can change a database in memory. */
export const detectChanges = (client: Client): ChangeDetector => {
  const path = client.filename;
  if (path === "" || path === ":memory:") return NO_CHANGES;
  const readHeader = walIndexReader(path);
  /** NaN, which equals nothing, if the header cannot be read: it may have changed. */
  const read = () => {
    try {
      return readHeader();
    } catch {
      return { count: Number.NaN, checksum: Number.NaN };
    }
  };
  let { count, checksum } = readHeader();
  let foreign = 0;
  const detect = () => {
    const now = read();
    if (now.count === count && now.checksum === checksum) return;
    foreign++;
    ({ count, checksum } = now);
  };
  return {
    detect,
    foreign: () => foreign,
    beginOwn: detect,
    endOwn(wrote) {
      const now = read();
      // One transaction more is our own; any other came in between.
      if (now.count === count + (wrote ? 1 : 0)) ({ count, checksum } = now);
      else detect();
    },
  };
};
