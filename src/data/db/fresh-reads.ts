import type { Database as Client } from "bun:sqlite";
import { openSync, readSync } from "node:fs";
import { lruCache } from "../../lib/lru.ts";
import { rollBack } from "./commit.ts";

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

/**
 * Calls in the same turn of the event loop share one run of `begin`, after the turn. Under load a request then takes 19
 * microseconds instead of 26, mostly because the responses of a turn are built one after the other.
 * @param end runs when all that waited has run to its next event, and before any other event is handled
 */
export const oncePerTurn = (begin: () => void, end: () => void): (() => Promise<void>) => {
  let pending: Promise<void> | undefined;
  return () =>
    (pending ??= new Promise((resolve) => {
      setImmediate(() => {
        pending = undefined;
        begin();
        resolve();
      });
      setImmediate(end);
    }));
};

/**
 * Lets the reads that wait for the same `fresh` share a transaction. SQLite takes and releases a lock for each read outside of
 * one, which is most of the time that a read by id takes. A write may begin at any time: it ends the transaction first.
 * @param detect looks for writes of others
 */
export const sharedReads = (client: Client, detect: () => void) => {
  const beginStatement = client.prepare("BEGIN");
  const endStatement = client.prepare("COMMIT");
  let isOpen = false;
  let isStopped = false;
  const end = (): void => {
    if (!isOpen) return;
    isOpen = false;
    try {
      if (client.inTransaction) endStatement.run();
    } catch {
      // A read found damage, which its request reports.
      rollBack(client);
    }
  };
  return {
    begin(): void {
      detect();
      if (isStopped || client.inTransaction) return;
      beginStatement.run();
      isOpen = true;
    },
    end,
    /** Ends the transaction, and begins no other: the connection may be closed. */
    stop(): void {
      isStopped = true;
      end();
    },
  };
};

export const freshReads = (client: Client, detect: () => void) => {
  const { begin, end, stop } = sharedReads(client, detect);
  const fresh = oncePerTurn(begin, end);
  return { fresh, recent: fresh, stop };
};

/**
 * Caches the values that `read` finds, until another process writes or `clear` is called. A value is never older than the last
 * acknowledged change of another process. Call `clear` after each change of this one.
 */
export const cachedReads = <Key, Value>(
  { fresh, foreignVersion: version }: { fresh: () => Promise<void>; foreignVersion: () => number },
  maxEntries: number,
  read: (key: Key) => Value | undefined,
) => {
  const cached = lruCache<Key, Value>({ maxEntries, version });
  return {
    async find(key: Key): Promise<Value | undefined> {
      await fresh();
      const value = cached.get(key) ?? read(key);
      if (value !== undefined) cached.set(key, value);
      return value;
    },
    clear: cached.clear,
  };
};
