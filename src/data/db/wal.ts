import type { Database as Client } from "bun:sqlite";
import { openSync, readSync } from "node:fs";
import { fileSize } from "../../lib/files.ts";
import { MAX_LOG_BYTES } from "./pragmas.ts";
import { openSqlWorker } from "./sql-worker.ts";

/** True for a database in memory or in a nameless temporary file, which no other connection can open. */
export const isInMemory = (path: string): boolean => path === "" || path === ":memory:";

/** The offset of the transaction counter in the file, and those of the later fields from there, in words. */
const HEADER_OFFSET = 8;
const FRAMES_WORD = 2;
const CHECKSUM_WORD = 4;
const HEADER_WORDS = 6;

/** The part of the WAL index's header that every commit rewrites (https://sqlite.org/walformat.html, section 2.1). */
interface WalIndexHeader {
  /** Counts transactions. */
  count: number;
  /** How many frames of the log are committed. */
  frames: number;
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

export const logSize = (path: string): number => fileSize(`${path}-wal`);

/** The log grows this large only if it cannot be copied: a process reads for too long, or the disk refuses writes. */
const LARGE_LOG_BYTES = 4 * MAX_LOG_BYTES;

/** A warning of /readyz about a log that grows. */
export const logWarnings = (path: string): { code: string; count: number; message: string }[] => {
  const size = logSize(path);
  if (size < LARGE_LOG_BYTES) return [];
  const message = `The log of the database has grown to ${Math.round(size / 1e6)} MB: a process has been reading the database for too long (end it), or the disk refuses writes to ${path} (see the server's log).`;
  return [{ code: "database_log_large", count: 1, message }];
};

/**
 * Copies a large log into its database, in a worker, and then truncates it. Frames that a reader still needs stay until a
 * later call, and so does a log into which this connection writes.
 */
export const shrinkLog = async (client: Client): Promise<void> => {
  const path = client.filename;
  if (logSize(path) <= MAX_LOG_BYTES) return;
  {
    await using remote = await openSqlWorker(path);
    await remote.all("PRAGMA wal_checkpoint(PASSIVE)");
  }
  // SQLite refuses it inside a transaction, such as that of a write which waits for the engine of a cluster.
  if (client.inTransaction) return;
  // Little is left to copy, so this is quick. It does nothing while another process writes.
  client.query("PRAGMA wal_checkpoint(TRUNCATE)").get();
};
