import { closeSync, existsSync, fstatSync, openSync, read, readFileSync, readSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { replaceDurably } from "../../lib/durable.ts";
import { openSqlWorker } from "./sql-worker.ts";

/**
 * Finds pages that a disk has changed, because SQLite keeps no checksum of a page. The index of the log names the pages of every
 * commit (https://sqlite.org/walformat.html, section 2). All other pages must have the content that they had at the last pass.
 */

const PAGE = 4096;
/** Pages that are read together. */
const CHUNK = 256;
/** The share of the time for which a pass reads. */
const SHARE = 1 / 10;

/** The index's first block has a header, and each block page numbers before a table of hashes. */
const BLOCK_BYTES = 32_768;
const BLOCK_FRAMES = 4096;
const HEADER_BYTES = 136;
const HEADER_FRAMES = HEADER_BYTES / 4;

/** Where the page number of a frame is in the index. */
const offsetOf = (frame: number): number => {
  const place = frame + HEADER_FRAMES;
  return Math.floor(place / BLOCK_FRAMES) * BLOCK_BYTES + (place % BLOCK_FRAMES) * 4;
};

const bitSet = () => {
  let bits = new Uint8Array(1024);
  return {
    has: (at: number): boolean => ((bits[at >> 3] ?? 0) & (1 << (at & 7))) !== 0,
    add(at: number): void {
      const byte = at >> 3;
      if (byte >= bits.length) {
        const larger = new Uint8Array(Math.max(byte + 1, bits.length * 2));
        larger.set(bits);
        bits = larger;
      }
      bits[byte] = (bits[byte] ?? 0) | (1 << (at & 7));
    },
  };
};

type BitSet = ReturnType<typeof bitSet>;

/** Reads the log's index. Its descriptor stays open: closing it would drop SQLite's locks. */
const logIndex = (path: string) => {
  const descriptor = openSync(`${path}-shm`, "r");
  const header = new DataView(new ArrayBuffer(48));
  const numbers = new Uint32Array(BLOCK_FRAMES);
  return {
    /** How many frames the log has, and a number that each new log increments. */
    read(): { frames: number; log: number } {
      readSync(descriptor, header, 0, 48, 0);
      return { frames: header.getUint32(16, true), log: header.getUint32(32) };
    },
    addPages(to: BitSet, from: number, end: number): void {
      for (let frame = from; frame < end;) {
        const count = Math.min(end - frame, BLOCK_FRAMES - ((frame + HEADER_FRAMES) % BLOCK_FRAMES));
        readSync(descriptor, numbers, 0, count * 4, offsetOf(frame));
        for (let at = 0; at < count; at++) to.add(numbers[at] ?? 0);
        frame += count;
      }
    },
    close: (): void => closeSync(descriptor),
  };
};

const readAt = promisify(read) as unknown as (
  descriptor: number,
  buffer: Uint8Array,
  offset: number,
  length: number,
  position: number,
) => Promise<{ bytesRead: number }>;

/** What identifies the state of a file: its inode, its size and its last change. */
const STATE_WORDS = 3;
const stateOf = (descriptor: number): BigUint64Array => {
  const { ino, size, mtimeNs } = fstatSync(descriptor, { bigint: true });
  return new BigUint64Array([ino, size, mtimeNs]);
};

const bytesOf = ({ buffer, byteOffset, byteLength }: BigUint64Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/**
 * The file of hashes: a checksum of the rest, the state of the database's file after its last writer closed it, and a hash for
 * each page; 0: not known.
 */
const readHashes = (path: string): { state: BigUint64Array; hashes: BigUint64Array } | undefined => {
  if (!existsSync(path)) return undefined;
  const { buffer, length } = new Uint8Array(readFileSync(path));
  const words = new BigUint64Array(buffer, 0, Math.floor(length / 8));
  const rest = words.subarray(1);
  if (words[0] !== Bun.hash.xxHash64(bytesOf(rest))) return undefined;
  return { state: rest.subarray(0, STATE_WORDS), hashes: rest.subarray(STATE_WORDS) };
};

const writeHashes = (path: string, state: BigUint64Array, hashes: BigUint64Array): Promise<void> => {
  const rest = new BigUint64Array(STATE_WORDS + hashes.length);
  rest.set(state);
  rest.set(hashes, STATE_WORDS);
  const sum = new BigUint64Array([Bun.hash.xxHash64(bytesOf(rest))]);
  const content = Buffer.concat([bytesOf(sum), bytesOf(rest)]);
  return replaceDurably(path, `${path}.new`, (temporary) =>
    writeFile(temporary, content, { flag: "wx", mode: 0o600 }),
  );
};

/** The state while a server runs: after a crash, the hashes do not count. */
const IN_USE = new BigUint64Array(STATE_WORDS);

/** @param path of a database in the WAL mode, with pages of 4 KiB, that this process has open */
export const pageWatch = (path: string) => {
  const hashesPath = `${path}.pages`;
  const index = logIndex(path);
  const file = openSync(path, "r");
  let { log, frames } = index.read();
  /** The pages that were written since the last pass. */
  let written = bitSet();
  /** False if a log that others wrote may have been replaced unread. */
  let isComplete = true;
  index.addPages(written, 0, frames);

  /** Notes the pages of the commits since the last call. Call it after each commit. */
  const note = (hasForeign = true): void => {
    const now = index.read();
    if (now.log !== log) {
      if (hasForeign || now.log !== (log + 1) >>> 0) isComplete = false;
      frames = 0;
      ({ log } = now);
    }
    if (now.frames <= frames) return;
    index.addPages(written, frames, now.frames);
    ({ frames } = now);
  };

  /** Whose pass the hashes are of: an earlier process's, this one's, or of none that ended. */
  let passed: "earlier" | "here" | "not" = "earlier";

  /** The hashes of the last pass, if no page may have been written since without being noted. */
  const lastHashes = (): BigUint64Array | undefined => {
    if (passed === "not" || !isComplete) return undefined;
    const saved = readHashes(hashesPath);
    return passed === "here" || Bun.deepEquals(saved?.state, stateOf(file)) ? saved?.hashes : undefined;
  };

  /** Without the file, the next pass only begins the comparison again. */
  const save = (state: BigUint64Array, hashes: BigUint64Array): Promise<boolean> =>
    writeHashes(hashesPath, state, hashes).then(
      () => true,
      () => false,
    );

  return {
    note,
    /** Reads all pages slowly. @returns the numbers of pages that no commit has changed, and that differ from the last pass */
    async pass(signal?: AbortSignal): Promise<number[]> {
      note();
      const known = lastHashes();
      passed = "not";
      const before = written;
      written = bitSet();
      isComplete = true;
      index.addPages(written, 0, frames);
      const next = new BigUint64Array(Math.ceil(fstatSync(file).size / PAGE));
      const chunk = new Uint8Array(CHUNK * PAGE);
      const changed: number[] = [];
      for (let first = 0; first < next.length; first += CHUNK) {
        const begin = performance.now();
        const { bytesRead } = await readAt(file, chunk, 0, chunk.length, first * PAGE);
        // A commit of which this chunk has a part is in the log now.
        note();
        for (let at = 0; at < Math.floor(bytesRead / PAGE); at++) {
          const page = first + at;
          // Pages are numbered from 1.
          if (written.has(page + 1)) continue;
          const hash = Bun.hash.xxHash64(chunk.subarray(at * PAGE, (at + 1) * PAGE)) || 1n;
          const expected = before.has(page + 1) ? 0n : (known?.[page] ?? 0n);
          const isChanged = expected !== 0n && expected !== hash;
          if (isChanged) changed.push(page + 1);
          // It is reported again until something writes it.
          next[page] = isChanged ? expected : hash;
        }
        await sleep((performance.now() - begin) * (1 / SHARE - 1), undefined, { signal });
      }
      if (!isComplete) return [];
      if (await save(IN_USE, next)) passed = "here";
      return changed;
    },
    /** Keeps the hashes for the next start. Call it once the database is closed. */
    async close(): Promise<void> {
      const hashes = passed === "here" ? lastHashes() : undefined;
      hashes?.forEach((_, page) => {
        if (written.has(page + 1)) hashes[page] = 0n;
      });
      if (hashes) await save(stateOf(file), hashes);
      index.close();
      closeSync(file);
    },
  };
};

export type PageWatch = ReturnType<typeof pageWatch>;

/** Names the tables of changed pages, and the remedy. */
export const describeChanged = (found: ReadonlyMap<string, number>): string =>
  `the disk has changed pages of the database that no write has changed (${[...found]
    .map(([table, count]) => `${table}: ${count}`)
    .join(", ")}): compare these tables with the last backup, or restore it, and replace the disk`;

/** How many of these pages belong to each table, or to one of its indexes. */
export const tablesWith = async (
  path: string,
  pages: readonly number[],
  signal?: AbortSignal,
): Promise<Map<string, number>> => {
  if (pages.length === 0) return new Map();
  await using worker = await openSqlWorker(path, signal);
  const rows = await worker.all(
    `SELECT coalesce(tbl_name, dbstat.name) AS name, count(*) AS count
     FROM dbstat LEFT JOIN sqlite_schema ON sqlite_schema.name = dbstat.name
     WHERE pageno IN (${pages.join(", ")}) GROUP BY 1`,
  );
  return new Map(rows.map(({ name, count }) => [String(name), Number(count)]));
};
