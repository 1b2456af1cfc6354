import { randomBytes } from "node:crypto";
import { closeSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { freeBytes } from "../data-dir/free-space.ts";
import type { Target } from "./export-target.ts";

export interface SpoolOptions {
  /** The directory of the spool file, which has no name, so that the system removes it when the process ends. */
  directory: string;
  /** Bytes that stay free in the directory. */
  reserve: number;
  /** How long all writes together may wait for the reader, in milliseconds. */
  waitMs?: number;
  /** True once writes may no longer wait for the reader. */
  isHurried: () => boolean;
  /** True once the rest is no longer needed. */
  isStopped: () => boolean;
}

const MAX_WAIT_MS = 1000;
const CHUNK_BYTES = 2 ** 20;
/** The free space is checked after this many bytes. */
const CHECK_INTERVAL_BYTES = 8 * 2 ** 20;

const openSpool = ({ directory, reserve }: SpoolOptions) => {
  const path = join(directory, `export-${process.pid}-${randomBytes(6).toString("hex")}.spool`);
  const file = openSync(path, "wx+", 0o600);
  unlinkSync(path);
  let size = 0;
  let checkedSize = -CHECK_INTERVAL_BYTES;
  const assertRoom = () => {
    if (size - checkedSize < CHECK_INTERVAL_BYTES) return;
    checkedSize = size;
    if (freeBytes(directory) >= reserve + CHECK_INTERVAL_BYTES) return;
    throw new Error(
      "the reader of the export is too slow, and DATA_DIR has no room for the rest: make room there, or export to a file on another disk",
    );
  };
  return {
    append(content: string | Uint8Array) {
      assertRoom();
      const bytes = typeof content === "string" ? Buffer.from(content) : content;
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
      size += bytes.length;
    },
    *chunks() {
      for (let at = 0; at < size;) {
        const chunk = new Uint8Array(Math.min(CHUNK_BYTES, size - at));
        const length = readSync(file, chunk, 0, chunk.length, at);
        at += length;
        yield chunk.subarray(0, length);
      }
    },
    close: () => closeSync(file),
  };
};

/** The value of a promise that resolves within `ms`, else undefined. */
const within = async <Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> => {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Writes content to a target, and spools the rest to a file once the target is too slow. The writer thus finishes soon and
 * releases its snapshot of the database, during which the server's log grows. `finish` waits for the target.
 */
export const spooling = (target: Target, options: SpoolOptions): Target => {
  const { waitMs = MAX_WAIT_MS, isHurried, isStopped } = options;
  let waitedMs = 0;
  let inFlight: Promise<boolean> | undefined;
  let spool: ReturnType<typeof openSpool> | undefined;
  const pass = async (content: string | Uint8Array): Promise<boolean> => {
    const start = performance.now();
    inFlight = target.write(content);
    // `finish` reports the error.
    inFlight.catch(() => {});
    const isRead = await within(inFlight, isHurried() ? 0 : waitMs - waitedMs);
    waitedMs += performance.now() - start;
    if (isRead === undefined) spool = openSpool(options);
    return isRead ?? true;
  };
  const drain = async (from: NonNullable<typeof spool>) => {
    let isRead = await inFlight;
    for (const chunk of from.chunks()) {
      if (!isRead || isStopped()) return;
      isRead = await target.write(chunk);
    }
  };
  const close = () => {
    spool?.close();
    spool = undefined;
  };
  return {
    isTerminal: target.isTerminal ?? false,
    async write(content) {
      if (!spool) return pass(content);
      spool.append(content);
      return true;
    },
    async finish() {
      if (spool) await drain(spool);
      close();
      await target.finish();
    },
    async abandon() {
      close();
      await target.abandon();
    },
  };
};
