import type { Database as Client } from "bun:sqlite";
import { type WalIndexHeader, isInMemory, walIndexReader } from "./wal.ts";

/** Detects writes by other connections and processes, without a lock. */
export interface ChangeDetector {
  /** Increments `foreign` if others have committed writes since the last call. */
  detect(): void;
  /** How many calls have found writes of others. */
  foreign(): number;
  /** Call it when this connection has the write lock and is about to write. */
  beginOwn(): void;
  /** Call it when this connection's write is committed. It never throws. */
  endOwn(): void;
}

const NO_CHANGES: ChangeDetector = {
  detect: () => {},
  foreign: () => 0,
  beginOwn: () => {},
  endOwn: () => {},
};

/**
 * Detects changes of this connection's database, by the header of its WAL index. `PRAGMA data_version` would show the same,
 * but takes and releases a lock, which costs 5 microseconds. Only a write can afford it.
 */
export const detectChanges = (client: Client): ChangeDetector => {
  const path = client.filename;
  if (isInMemory(path)) return NO_CHANGES;
  const readHeader = walIndexReader(path);
  /** NaN, which equals nothing, if the header cannot be read: it may have changed. */
  const read = (): Pick<WalIndexHeader, "count" | "checksum"> => {
    try {
      return readHeader();
    } catch {
      return { count: Number.NaN, checksum: Number.NaN };
    }
  };
  const versionStatement = client.prepare<{ data_version: number }, []>("PRAGMA data_version");
  /** Changes only with the commits of others. NaN if it cannot be read. */
  const readVersion = (): number => {
    try {
      return versionStatement.get()?.data_version ?? Number.NaN;
    } catch {
      return Number.NaN;
    }
  };
  let { count, checksum } = readHeader();
  let foreign = 0;
  let versionBefore = Number.NaN;
  const detect = () => {
    const now = read();
    if (now.count === count && now.checksum === checksum) return;
    foreign++;
    ({ count, checksum } = now);
  };
  return {
    detect,
    foreign: () => foreign,
    beginOwn() {
      detect();
      versionBefore = readVersion();
    },
    endOwn() {
      // Read first: `detect` then finds a commit that comes between these two lines.
      const now = read();
      // Counting our own transactions is not enough: one that wrote no page is not in the header, and would hide the next of others.
      if (readVersion() === versionBefore) ({ count, checksum } = now);
      else detect();
    },
  };
};
