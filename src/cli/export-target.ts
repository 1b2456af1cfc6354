import { randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isAbandoned } from "../backups/temporary-files.ts";
import { fullDiskAdvice } from "../data-dir/free-space.ts";
import { shareLock } from "../db/file-lock.ts";
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
const MAX_WAIT_MS = 10 * MINUTE_MS;

/** A stream whose reader may be slow, but must read each page within `maxWait` milliseconds. */
export const streamTarget = (output: NodeJS.WritableStream, maxWait = MAX_WAIT_MS): Target => ({
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
