import { randomBytes } from "node:crypto";
import { closeSync, openSync, readdirSync, readSync, rmSync, unlinkSync, writeSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isAbandoned } from "../operate/backups/destination.ts";
import { freeBytes, fullDiskAdvice } from "../data/data-dir/storage.ts";
import { shareLock } from "../data/db/file-lock.ts";
import { replaceFile } from "../lib/durable.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { reasonOf } from "../lib/reason.ts";
import { isFull, resultCode } from "../lib/storage-errors.ts";

/** The destination of an export. */
export interface Target {
  /** True if the data appears on a terminal. */
  isTerminal?: boolean;
  /** @returns false if the reader has closed the stream */
  write(content: string | Uint8Array): Promise<boolean>;
  /** Completes the export, after its last write. */
  finish(): Promise<void>;
  /** Cancels the export, and removes its files. */
  abandon(): Promise<void>;
}

/** Adds the location and a remedy to an error. */
const toOperatorError = (error: unknown, path: string | undefined): unknown => {
  if (isFull(error))
    return new OperatorError(
      path === undefined
        ? "standard output: its file system is full: make room there, then try again"
        : `${path}: ${fullDiskAdvice(dirname(resolve(path)))}, then try again`,
    );
  if (path !== undefined && /^(EACCES|EPERM|EROFS)$/.test(resultCode(error)))
    return new OperatorError(
      `${dirname(resolve(path))} cannot be written (${reasonOf(error).replace(/, open .*/, "")}): choose another directory, or make it writable`,
    );
  return error;
};

const MINUTE_MS = 60_000;
/** How long an export waits for a reader. */
const READER_TIMEOUT_MS = 10 * MINUTE_MS;

/** A stream whose reader may be slow, but must read each page within `maxWait` milliseconds. */
export const streamTarget = (output: NodeJS.WritableStream, maxWait = READER_TIMEOUT_MS): Target => ({
  isTerminal: (output as NodeJS.WriteStream).isTTY,
  write: (content) =>
    new Promise((resolve, reject) => {
      const giveUp = () =>
        reject(
          new Error(
            `the reader of the export has read nothing for ${maxWait / MINUTE_MS} minutes, so the rest is missing: export to a file, and read that`,
          ),
        );
      const timer = setTimeout(giveUp, maxWait);
      output.write(content, (error) => {
        clearTimeout(timer);
        if (!error) return resolve(true);
        // The reader closed the stream, as `| head` does.
        if ((error as NodeJS.ErrnoException).code === "EPIPE") return resolve(false);
        reject(toOperatorError(error, undefined));
      });
    }),
  finish: async () => {},
  abandon: async () => {},
});

/** The names in a directory; none if the directory can be written but not read. */
const namesIn = (directory: string): string[] => {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
};

/** Removes the files that killed exports to this path left. */
const removeLeftovers = (path: string): void => {
  const [directory, prefix] = [dirname(resolve(path)), `${basename(path)}.`];
  for (const name of namesIn(directory).filter((one) => one.startsWith(prefix))) {
    const [, suffix, pid] = /^((\d+)\.[\da-f]{12}\.partial)\.lock$/.exec(name.slice(prefix.length)) ?? [];
    const lock = join(directory, name);
    if (suffix === undefined || !isAbandoned(lock, Number(pid))) continue;
    rmSync(join(directory, prefix + suffix), { force: true });
    rmSync(lock, { force: true });
  }
};

/** A file that appears complete or not at all. */
export const fileTarget = async (path: string): Promise<Target> => {
  const temporary = `${path}.${process.pid}.${randomBytes(6).toString("hex")}.partial`;
  removeLeftovers(path);
  const explaining = <Result>(act: Promise<Result>): Promise<Result> =>
    act.catch((error: unknown) => {
      throw toOperatorError(error, path);
    });
  const lock = await explaining((async () => shareLock(`${temporary}.lock`))());
  const file: FileHandle = await explaining(open(temporary, "wx", 0o600));
  const release = async () => {
    await rm(`${temporary}.lock`, { force: true });
    lock.release();
  };
  return {
    async write(content) {
      await explaining(file.writeFile(content));
      return true;
    },
    async finish() {
      await file.close();
      await explaining(replaceFile(temporary, resolve(path)));
      await release();
    },
    async abandon() {
      await file.close();
      await rm(temporary, { force: true });
      await release();
    },
  };
};

export interface SpoolOptions {
  /** The directory of the spool file, which has no name, so that the system removes it when the process ends. */
  directory: string;
  /** Bytes that stay free in the directory. */
  reserve: number;
  /** How long all writes together may wait for the reader, in milliseconds. */
  waitMs?: number;
  /** True once writes may no longer wait for the reader. */
  isHurried: () => boolean;
  /** True once the reader needs no more data. */
  isStopped: () => boolean;
}

/** A target that takes longer than this, over all writes, is too slow. */
const SPOOL_AFTER_MS = 1000;
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
  const { waitMs = SPOOL_AFTER_MS, isHurried, isStopped } = options;
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
