import { existsSync } from "node:fs";
import { basename } from "node:path";
import { assertDestination } from "../operate/backups/destination.ts";
import { countPets, exportFormat, exportPages, formatPage } from "../store/import-export/export.ts";
import type { Format } from "../store/import-export/read-format.ts";
import { quantity } from "../lib/quantity.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../data/db/open.ts";
import { PET_STATUSES, type PetStatus } from "../store/pets/pet.ts";
import { command } from "./command.ts";
import { recordIn, withDatabase } from "./database.ts";
import { fileTarget, spooling, streamTarget, type Target } from "./export-target.ts";
import { FORMATS, FORMER_GUARD_FLAG, formatOf } from "./file-arguments.ts";
import { formatCount, note, rowProgress } from "./print/output.ts";
import { configBeside } from "./settings.ts";
import { deferSuspension, stopRequest } from "./signals.ts";
import { UsageError } from "./usage.ts";

const STATUSES = [...PET_STATUSES, "none"] as const;

/** The animals to export, and their form. */
interface Selection {
  format: Format;
  status: (typeof STATUSES)[number] | undefined;
  isRaw: boolean;
}

const statusOf = (status: Selection["status"]): PetStatus | null | undefined =>
  status === "none" ? null : status;

/** Writes all animals to a target, from one snapshot. @returns how many */
const writeAnimals = async (
  database: Database,
  target: Target,
  isStopped: () => boolean,
  { format, status, isRaw }: Selection,
): Promise<number> => {
  const form = exportFormat(format, { isRaw });
  const total = status ? undefined : countPets(database);
  // On a terminal it would stand between the rows.
  const progress = target.isTerminal ? undefined : rowProgress("Exporting");
  let rows = 0;
  try {
    let isRead = form.heading === "" || (await target.write(form.heading));
    for (const page of exportPages(database, statusOf(status))) {
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
  selection: Selection,
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
      rows = await writeAnimals(database, target, isStopped, selection);
    }
    await (isStopped() ? target.abandon() : target.finish());
    return { rows, code: stop.code() };
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
    "--raw": "write all names unchanged, including formulas",
    ...FORMER_GUARD_FLAG,
    "--force": "overwrite the file",
    "--json": "print the summary as JSON, on standard error without a file",
  },
  hiddenSettings: ["diskReserve"],
  notes: [
    "The file is a consistent snapshot, sorted by id; the server can keep writing meanwhile. Importing it elsewhere gives the same animals in the same order: name, category and status, with new ids.",
    "The reader of standard output may be slow: after a second the rest goes to a temporary file in DATA_DIR. The export ends if nothing is read for ten minutes.",
    "A spreadsheet interprets a name that begins with =, +, - or @ as a formula. The CSV file has a ' before such a name, which import removes. For a program that needs the names unchanged, use --raw. Import that file with --raw, too.",
  ],
  examples: {
    "Write all animals to a file": "animals.csv",
    "Write the available ones as JSON lines": "--format ndjson --status available > animals.ndjson",
  },
  async run({ file, format, status, raw = false, force, json, ...flags }) {
    const path = file === "-" ? undefined : file;
    const config = configBeside(flags);
    const selection = {
      format: format ?? (path === undefined ? "csv" : formatOf(path, undefined)),
      status,
      isRaw: raw,
    };
    if (path !== undefined) assertDestination(path, config.dataDir);
    if (path !== undefined && !force && existsSync(path))
      throw new UsageError(`${JSON.stringify(path)} exists: name another file, or overwrite it with --force`);
    const start = performance.now();
    const { rows, code } = await withDatabase(config, async (database) => {
      const written = await write(database, config, path, selection);
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
    const pace = `${seconds.toFixed(1)} s, ${formatCount(Math.round(rows / seconds))} rows/s`;
    if (path !== undefined)
      return { json: { rows, seconds }, text: `${quantity(rows, "animal")} in ${path} (${pace})` };
    if (json) process.stderr.write(`${JSON.stringify({ rows, seconds })}\n`);
  },
});
