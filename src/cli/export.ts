import { existsSync } from "node:fs";
import { basename } from "node:path";
import { Command, Option } from "commander";
import { assertDestination } from "../backups/destination.ts";
import { countPets, exportFormat, exportPages, formatPage } from "../bulk/export.ts";
import type { Format } from "../bulk/read-format.ts";
import { quantity } from "../lib/quantity.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../db/open.ts";
import { PET_STATUSES, type PetStatus } from "../pets/pet.ts";
import { recordIn, withDatabase } from "./database.ts";
import { fileTarget, spooling, streamTarget, type Target } from "./export-target.ts";
import { formatOf, formerGuardFlag } from "./file-arguments.ts";
import { formatCount, note, print, rowProgress } from "./print/output.ts";
import { type CommandTexts, withTexts } from "./help/texts.ts";
import { configBeside, withSettings } from "./settings.ts";
import { deferSuspension, stopRequest } from "./signals.ts";
import { UsageError } from "./usage-error.ts";

const STATUSES = [...PET_STATUSES, "none"] as const;

interface Options extends Record<string, unknown> {
  format?: Format;
  status?: (typeof STATUSES)[number];
  force?: boolean;
  raw?: boolean;
  json?: boolean;
}

const statusOf = (status: Options["status"]): PetStatus | null | undefined =>
  status === "none" ? null : status;

/** Writes all animals to a target, from one snapshot. @returns how many */
const writeAnimals = async (
  database: Database,
  target: Target,
  isStopped: () => boolean,
  format: Format,
  options: Options,
): Promise<number> => {
  const form = exportFormat(format, { isRaw: options.raw ?? false });
  const total = options.status ? undefined : countPets(database);
  // On a terminal it would stand between the rows.
  const progress = target.isTerminal ? undefined : rowProgress("Exporting");
  let rows = 0;
  try {
    let isRead = form.heading === "" || (await target.write(form.heading));
    for (const page of exportPages(database, statusOf(options.status))) {
      if (!isRead || isStopped()) break;
      isRead = await target.write(formatPage(page, form));
      rows += page.length;
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
  format: Format,
  options: Options,
) => {
  using stop = stopRequest();
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

const TEXTS: CommandTexts = {
  notes: [
    "The file is a consistent snapshot, sorted by id; the server can keep writing meanwhile. Importing it elsewhere gives the same animals in the same order: name, category and status, with new ids.",
    "The reader of standard output may be slow: after a second the rest goes to a temporary file in DATA_DIR. The export ends if nothing is read for ten minutes.",
    "A spreadsheet interprets a name that begins with =, +, - or @ as a formula. The CSV file has a ' before such a name, which import removes. For a program that needs the names unchanged, use --raw. Import that file with --raw, too.",
  ],
  examples: [
    { text: "Write all animals to a file", line: "adoption-store export animals.csv" },
    {
      text: "Write the available ones as JSON lines",
      line: "adoption-store export --format ndjson --status available > animals.ndjson",
    },
  ],
};

export const exportCommand = (): Command =>
  withSettings(
    withTexts(new Command("export"), TEXTS)
      .summary("write all animals to a file")
      .description("write all animals as CSV or NDJSON; the server may be running")
      .argument("[file]", "the file to write (default: standard output)")
      .addOption(
        new Option(
          "--format <format>",
          "the format (default: by the file's name; csv on standard output)",
        ).choices(["csv", "ndjson"]),
      )
      .addOption(
        new Option(
          "--status <status>",
          "only animals with this status; none: animals without a status",
        ).choices(STATUSES),
      )
      .option("--raw", "write all names unchanged, including formulas")
      .addOption(formerGuardFlag())
      .option("--force", "overwrite the file")
      .option("--json", "print the summary as JSON, on standard error without a file"),
    [],
    ["diskReserve"],
  ).action(async (file: string | undefined, options: Options) => {
    const path = file === "-" ? undefined : file;
    const config = configBeside(options);
    const format = options.format ?? (path === undefined ? "csv" : formatOf(path, undefined));
    if (path !== undefined) assertDestination(path, config.dataDir);
    if (path !== undefined && !options.force && existsSync(path))
      throw new UsageError(`${JSON.stringify(path)} exists: name another file, or overwrite it with --force`);
    const start = performance.now();
    const { rows, code } = await withDatabase(config, async (database) => {
      const written = await write(database, config, path, format, options);
      const changes = [
        ["rows", null, String(written.rows)],
        ["to", null, path === undefined ? "standard output" : basename(path)],
      ] as const;
      if (written.rows > 0) await recordIn(database, { action: "export.animals", id: "animals", changes });
      return written;
    });
    if (code !== 0) {
      process.exitCode = code;
      return note(path === undefined ? "stopped" : "stopped; nothing was written");
    }
    const seconds = (performance.now() - start) / 1000;
    const say = path === undefined ? (line: string) => void process.stderr.write(`${line}\n`) : print;
    if (options.json) say(JSON.stringify({ rows, seconds }));
    else if (path !== undefined)
      say(
        `${quantity(rows, "animal")} in ${path} (${seconds.toFixed(1)} s, ${formatCount(Math.round(rows / seconds))} rows/s)`,
      );
  });
