import { randomBytes } from "node:crypto";
import {
  closeSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  unlinkSync,
  writeSync,
  existsSync,
} from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isAbandoned, assertDestination } from "../operate/backups/destination.ts";
import { freeBytes, fullDiskAdvice } from "../data/data-dir/storage.ts";
import { shareLock } from "../data/db/file-lock.ts";
import { replaceFile } from "../lib/durable.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { reasonOf } from "../lib/reason.ts";
import { isFull, resultCode } from "../lib/storage-errors.ts";
import { countPets, exportParts, type Selection } from "../store/import-export/export.ts";
import { quantity } from "../lib/quantity.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../data/db/open.ts";
import { PET_STATUSES } from "../store/pets/pet.ts";
import { command } from "./command.ts";
import { recordIn, withDatabase } from "./database.ts";
import { FORMATS, FORMER_GUARD_FLAG, formatOf } from "./file-arguments.ts";
import { formatCount, formatNames, note, rowProgress } from "./print/output.ts";
import { effectiveConfig } from "./settings.ts";
import { deferSuspension, stopRequest } from "./signals.ts";
import { exportPhotos, type PhotoExport } from "./export-photos.ts";
import { UsageError } from "./input.ts";
import { attempt } from "../lib/attempt.ts";

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
const namesIn = (directory: string): string[] => attempt(() => readdirSync(directory)) ?? [];

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
const fileTarget = async (path: string): Promise<Target> => {
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
  mustNotWait: () => boolean;
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
  const { waitMs = SPOOL_AFTER_MS, mustNotWait, isStopped } = options;
  let waitedMs = 0;
  let inFlight: Promise<boolean> | undefined;
  let spool: ReturnType<typeof openSpool> | undefined;
  const pass = async (content: string | Uint8Array): Promise<boolean> => {
    const start = performance.now();
    inFlight = target.write(content);
    // `finish` reports the error.
    inFlight.catch(() => {});
    const isRead = await within(inFlight, mustNotWait() ? 0 : waitMs - waitedMs);
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

const STATUSES = [...PET_STATUSES, "none"] as const;

const MAX_NAMED = 10;

const damagedText = ({ photos, damaged }: PhotoExport): string =>
  `${damaged.length} of ${quantity(photos + damaged.length, "photo")} could not be exported: ${formatNames(damaged, MAX_NAMED)}. Add them again with adoption-store pets photo add, or restore a backup`;

/** Writes all animals to a target, from one snapshot. @returns how many */
const writeAnimals = async (
  database: Database,
  target: Target,
  isStopped: () => boolean,
  selection: Selection,
): Promise<number> => {
  const total = selection.status === undefined ? countPets(database) : undefined;
  // On a terminal it would stand between the rows.
  const progress = target.isTerminal ? undefined : rowProgress("Exporting");
  let rows = 0;
  try {
    let isRead = true;
    for (const { text, animals } of exportParts(database, selection)) {
      if (!isRead || isStopped()) break;
      isRead = await target.write(text);
      rows += animals;
      progress?.show(rows, total && Math.min(1, rows / total));
    }
    return rows;
  } finally {
    progress?.end();
  }
};

const write = async (
  database: Database,
  { dataDir, diskReserve }: Config,
  path: string | undefined,
  selection: Selection,
  isStopped: () => boolean,
): Promise<number> => {
  Bun.unsafe.setJITPolicy(1);
  let target: Target | undefined;
  try {
    let rows: number;
    {
      using suspension = deferSuspension();
      const spool = {
        directory: dataDir,
        reserve: diskReserve,
        mustNotWait: suspension.isRequested,
        isStopped,
      };
      target = path === undefined ? spooling(streamTarget(process.stdout), spool) : await fileTarget(path);
      rows = await writeAnimals(database, target, isStopped, selection);
    }
    await (isStopped() ? target.abandon() : target.finish());
    return rows;
  } catch (error) {
    await target?.abandon();
    throw error;
  }
};

export const exportCommand = command({
  name: "export",
  summary: "write all animals to a file",
  description: "write all animals as CSV or NDJSON; the server may be running",
  takes: {
    "[file]": "the file to write (default: standard output)",
    "--format <format>": {
      text: "the format (default: by the file's name; csv on standard output)",
      choices: FORMATS,
    },
    "--status <status>": {
      text: "only animals with this status; none: animals without a status",
      choices: STATUSES,
    },
    "--photos <directory>": "write the photos of these animals there, too",
    "--raw": "write all texts unchanged, including formulas",
    ...FORMER_GUARD_FLAG,
    "--force": "overwrite the file",
    "--json": "print the summary as JSON, on standard error without a file",
  },
  exitCodes: { 1: "the export failed, or damaged photos were left out (listed on standard error)" },
  hiddenSettings: ["diskReserve"],
  notes: [
    "The file is a consistent snapshot, sorted by id; the server can keep writing meanwhile. Importing it elsewhere gives the same animals in the same order, with their profiles and custom fields, and with new ids. It has a column for each member of a profile and each custom field that at least one animal has.",
    "--photos writes the largest size of each photo, or its original if it is stored, as DIRECTORY/ID/01.webp. DIRECTORY/photos.csv names the animal and the text of each. Another run copies only new and changed photos. It deletes the files of deleted photos, if these are at most half of the previous list. With --status it deletes nothing. An import reads no photos: add them with pets photo add.",
    "The reader of standard output may be slow: after a second the rest goes to a temporary file in DATA_DIR. The export ends if nothing is read for ten minutes.",
    "A spreadsheet interprets a text that begins with =, +, - or @ as a formula. The CSV file has a ' before such a text, which import removes. For a program that needs the texts unchanged, use --raw. Import that file with --raw, too.",
  ],
  examples: {
    "Write all animals to a file": "animals.csv",
    "Write the available ones as JSON lines": "--format ndjson --status available > animals.ndjson",
    "Write all animals with their photos": "animals.csv --photos photos",
  },
  async run({ file, format, status, photos: directory, raw = false, force, json, ...flags }) {
    const path = file === "-" ? undefined : file;
    const config = effectiveConfig(flags);
    const selection = {
      format: format ?? (path === undefined ? "csv" : formatOf(path, undefined)),
      status: status === "none" ? null : status,
      isRaw: raw,
    };
    if (path !== undefined) assertDestination(path, config.dataDir);
    if (path !== undefined && !force && existsSync(path))
      throw new UsageError(`${JSON.stringify(path)} exists: name another file, or overwrite it with --force`);
    const start = performance.now();
    const { rows, photos, code } = await withDatabase(config, async (database) => {
      using stop = stopRequest();
      const isStopped = () => stop.code() !== 0;
      // First: the file of the animals shows that the export is complete.
      const copied =
        directory === undefined
          ? undefined
          : await exportPhotos(database, config, { directory, status: selection.status, isStopped });
      const written = await write(database, config, path, selection, isStopped);
      const changes = [
        ["rows", null, String(written)],
        ["to", null, path === undefined ? "standard output" : basename(path)],
        ...(copied ? [["photos", null, String(copied.photos)] as const] : []),
      ] as const;
      if (written > 0) await recordIn(database, { action: "export.animals", id: "animals", changes });
      return { rows: written, photos: copied, code: stop.code() };
    });
    if (code !== 0) {
      process.exitCode = code;
      return note(path === undefined || photos ? "stopped" : "stopped; nothing was written");
    }
    if (photos && photos.damaged.length > 0) {
      note(damagedText(photos));
      process.exitCode = 1;
    }
    const seconds = (performance.now() - start) / 1000;
    const pace = `${seconds.toFixed(1)} s, ${formatCount(Math.round(rows / seconds))} rows/s`;
    const added = photos ? ` and ${quantity(photos.photos, "photo")} in ${directory}` : "";
    const summary = { rows, seconds, ...(photos && { photos: photos.photos }) };
    if (path !== undefined)
      return { json: summary, text: `${quantity(rows, "animal")} in ${path}${added} (${pace})` };
    if (json) process.stderr.write(`${JSON.stringify(summary)}\n`);
  },
});
