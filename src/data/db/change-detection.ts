import type { Database as Client } from "bun:sqlite";
import { type WalIndexHeader, isInMemory, walIndexReader } from "./wal.ts";

/**
 * Detects changes of this connection's database, by the header of its WAL index. `PRAGMA data_version` would show the same,
 * but takes and releases a lock, which costs 5 microseconds. Only a write can afford it.
 */
export const detectChanges = (client: Client) => {
  const readHeader = isInMemory(client.filename)
    ? () => ({ count: 0, checksum: 0 })
    : walIndexReader(client.filename);
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
    /** Increments `foreign` if others have committed writes since the last call. */
    detect,
    /** How many calls have found writes of others. */
    foreign: () => foreign,
    /** Call it when this connection has the write lock and is about to write. */
    beginOwn() {
      detect();
      versionBefore = readVersion();
    },
    /** Call it when this connection's write is committed. It never throws. */
    endOwn() {
      // Read first: `detect` then finds a commit that comes between these two lines.
      const now = read();
      // Counting our own transactions is not enough: one that wrote no page is not in the header, and would hide the next of others.
      if (readVersion() === versionBefore) ({ count, checksum } = now);
      else detect();
    },
  };
};

export type ChangeDetector = ReturnType<typeof detectChanges>;
