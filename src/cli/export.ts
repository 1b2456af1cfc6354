import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Command, Option } from "commander";
import { isAbandoned } from "../backups/temporary-files.ts";
import { assertDestination } from "../backups/destination.ts";
import { exportFormat, formatPage } from "../bulk/export.ts";
import type { Format } from "../bulk/import.ts";
import { quantity } from "../bulk/quantity.ts";
import { countPets, exportPages } from "../bulk/repository.ts";
import type { Config } from "../config/config.ts";
import { reasonOf } from "../lib/reason.ts";
import { isFull, resultCode } from "../lib/storage-errors.ts";
import { shareLock } from "../db/file-lock.ts";
import type { Database } from "../db/open.ts";
import { replaceFile } from "../lib/durable.ts";
import { PET_STATUSES, type PetStatus } from "../pets/pet.ts";
import { fullReason } from "../data-dir/free-space.ts";
import { withDatabase } from "./database.ts";
import { counted, formatOf, rowsShown, stopping } from "./rows.ts";
import { configBeside, withSettings } from "./settings.ts";
import { type Target, spooling } from "./spool.ts";
import { deferSuspension } from "./suspend.ts";
import { UsageError, fail, print } from "./terminal.ts";

const STATUSES = [...PET_STATUSES, "none"] as const;

interface Options extends Record<string, unknown> {
  format?: Format;
  status?: (typeof STATUSES)[number];
  force?: boolean;
  forSpreadsheets?: boolean;
  json?: boolean;
}

/** Says where it happened, and what to do. */
const explained = (error: unknown, path: string | undefined): unknown => {
  if (isFull(error))
    return new Error(
      path === undefined
        ? "standard output: its file system is full; make room there, then try again"
        : `${path}: ${fullReason(dirname(resolve(path)))}, then try again`,
    );
  if (path !== undefined && /^(EACCES|EPERM|EROFS)$/.test(resultCode(error)))
    return new Error(
      `${dirname(resolve(path))} cannot be written (${reasonOf(error).replace(/, open .*/, "")})`,
    );
  return error;
};

const MINUTE_MS = 60_000;
/** How long an export waits for a reader that does not read. */
const PATIENCE_MS = 10 * MINUTE_MS;

/** A stream whose reader may take its time, but not for ever: each page within `patience` milliseconds. */
export const streamTarget = (output: NodeJS.WritableStream, patience = PATIENCE_MS): Target => ({
  write: (content) =>
    new Promise((resolve, reject) => {
      const giveUp = () =>
        reject(
          new Error(
            `what reads the export has not read on for ${patience / MINUTE_MS} minutes: the rest is missing; export to a file and read that`,
          ),
        );
      const late = setTimeout(giveUp, patience);
      output.write(content, (error) => {
        clearTimeout(late);
        if (!error) return resolve(true);
        // As `| head` ends it: it has seen enough.
        if ((error as NodeJS.ErrnoException).code === "EPIPE") return resolve(false);
        reject(explained(error, undefined));
      });
    }),
  finish: async () => {},
  abandon: async () => {},
});

/** Names in a directory; none where one may write but not look. */
const namesIn = (directory: string): string[] => {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
};

/** Removes what exports to this file have left that were killed. */
const removeLeft = (path: string): void => {
  const [directory, begin] = [dirname(resolve(path)), `${basename(path)}.`];
  for (const name of namesIn(directory).filter((one) => one.startsWith(begin))) {
    const [, end, pid] = /^((\d+)\.[\da-f]{12}\.partial)\.lock$/.exec(name.slice(begin.length)) ?? [];
    const lock = join(directory, name);
    if (end === undefined || !isAbandoned(lock, Number(pid))) continue;
    rmSync(join(directory, begin + end), { force: true });
    rmSync(lock, { force: true });
  }
};

/** A file that appears whole or not at all. */
const fileTarget = async (path: string): Promise<Target> => {
  const temporary = `${path}.${process.pid}.${randomBytes(6).toString("hex")}.partial`;
  removeLeft(path);
  const explaining = <Result>(act: Promise<Result>): Promise<Result> =>
    act.catch((error: unknown) => {
      throw explained(error, path);
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

const statusOf = (status: Options["status"]): PetStatus | null | undefined =>
  status === "none" ? null : status;

/** Writes the animals of one moment to a target. @returns how many */
const writeAnimals = async (
  database: Database,
  target: Target,
  isStopped: () => boolean,
  format: Format,
  options: Options,
): Promise<number> => {
  const form = exportFormat(format, { guarded: options.forSpreadsheets ?? false });
  const total = options.status ? undefined : countPets(database);
  const shown = rowsShown("Exporting");
  let rows = 0;
  try {
    let isRead = form.heading === "" || (await target.write(form.heading));
    for (const page of exportPages(database, statusOf(options.status))) {
      if (!isRead || isStopped()) break;
      isRead = await target.write(formatPage(page, form));
      rows += page.length;
      shown.show(rows, total && Math.min(1, rows / total));
    }
    return rows;
  } finally {
    shown.end();
  }
};

const write = async (
  database: Database,
  { dataDir, diskReserve }: Config,
  path: string | undefined,
  format: Format,
  options: Options,
) => {
  using stop = stopping();
  Bun.unsafe.setJITPolicy(1);
  const isStopped = () => stop.code() !== 0;
  let target: Target | undefined;
  try {
    let rows: number;
    {
      using suspension = deferSuspension();
      const spool = {
        directory: dataDir,
        reserve: diskReserve,
        isHurried: suspension.isRequested,
        isStopped,
      };
      target = path === undefined ? spooling(streamTarget(process.stdout), spool) : await fileTarget(path);
      rows = await writeAnimals(database, target, isStopped, format, options);
    }
    await (isStopped() ? target.abandon() : target.finish());
    return { rows, code: stop.code() };
  } catch (error) {
    await target?.abandon();
    throw error;
  }
};

const HELP = `
The animals are those of one moment, ascending by id; the server may write meanwhile. Importing the file elsewhere gives the same
animals: name, category and status, in this order, with ids of their own. A reader of standard output may be slow: after a second
the rest goes to a temporary file in DATA_DIR. A reader that reads nothing for ten minutes ends the export.

A name that begins with =, +, - or @ is a formula to a spreadsheet. --for-spreadsheets writes a ' before it; import the file
with the same flag, which takes it away again.`;

export const exportCommand = (): Command =>
  withSettings(
    new Command("export")
      .description("write all animals as CSV or NDJSON; also beside a running server")
      .argument("[file]", "where to; standard output without one")
      .addOption(
        new Option(
          "--format <format>",
          "the form (default: by the file's name, csv on standard output)",
        ).choices(["csv", "ndjson"]),
      )
      .addOption(new Option("--status <status>", "only animals of this status, or none").choices(STATUSES))
      .option("--for-spreadsheets", "guard names that a spreadsheet would compute")
      .option("--force", "overwrite the file")
      .option("--json", "print the summary as JSON, on standard error without a file")
      .addHelpText("after", HELP),
    ["dataDir", "diskReserve"],
  ).action(async (file: string | undefined, options: Options) => {
    const path = file === "-" ? undefined : file;
    const config = configBeside(options);
    const format = options.format ?? (path === undefined ? "csv" : formatOf(path, undefined));
    if (path !== undefined) assertDestination(path, config.dataDir);
    if (path !== undefined && !options.force && existsSync(path))
      throw new UsageError(`${JSON.stringify(path)} exists; --force overwrites it`);
    const start = performance.now();
    const { rows, code } = await withDatabase(config, async (database) =>
      write(database, config, path, format, options),
    );
    if (code !== 0) {
      process.exitCode = code;
      return fail(path === undefined ? "stopped" : "stopped; nothing was written");
    }
    const seconds = (performance.now() - start) / 1000;
    const say = path === undefined ? (line: string) => void process.stderr.write(`${line}\n`) : print;
    if (options.json) say(JSON.stringify({ rows, seconds }));
    else if (path !== undefined)
      say(
        `${quantity(rows, "animal")} in ${path} (${seconds.toFixed(1)} s, ${counted(Math.round(rows / seconds))} rows/s)`,
      );
  });
