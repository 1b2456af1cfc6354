import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { Command, Option } from "commander";
import { type ImportResult, importFile } from "../bulk/import.ts";
import type { Dependencies, ImportOptions } from "../bulk/import-options.ts";
import { importRepository } from "../bulk/repository.ts";
import type { Config } from "../config/config.ts";
import { databasePath } from "../data-dir/paths.ts";
import type { Database } from "../db/open.ts";
import { withDatabase } from "./database.ts";
import { formerGuardFlag } from "./file-format.ts";
import { type CommandTexts, withTexts } from "./help/texts.ts";
import { categoryAccess } from "./import-categories.ts";
import { type ImportFlags, addMapping, addValue, importOptionsOf } from "./import-flags.ts";
import { printSummary } from "./import-report.ts";
import { note } from "./print/output.ts";
import { rowProgress } from "./print/row-progress.ts";
import { configBeside, withSettings } from "./settings.ts";
import { stopRequest } from "./signals.ts";

const MAX_NOTES = 10;

/** Reports on standard error while an import runs. */
const reporterFor = (progress: ReturnType<typeof rowProgress>, size: number | undefined) => {
  let notes = 0;
  return {
    onNote(text: string) {
      progress.end();
      note(text);
    },
    onProgress: ({ read, bytes }: { read: number; bytes: number }) =>
      progress.show(read, size && Math.min(1, bytes / size)),
    onRejected(line: number, reason: string) {
      if (++notes > MAX_NOTES) return;
      progress.end();
      note(`line ${line}: ${reason}${notes === MAX_NOTES ? " (no more are shown)" : ""}`);
    },
  };
};

const perform = async (
  importOptions: ImportOptions,
  { json = false }: ImportFlags,
  { imports, categories }: Pick<Dependencies, "imports" | "categories">,
): Promise<void> => {
  using stop = stopRequest();
  // As in serve: the import takes longer than the JIT takes to compile it.
  Bun.unsafe.setJITPolicy(1);
  const { path, rejected } = importOptions;
  const size = path === undefined ? undefined : statSync(path).size;
  const progress = rowProgress(imports ? "Importing" : "Checking");
  const start = performance.now();
  const result: ImportResult = await importFile(importOptions, {
    imports,
    categories,
    now: Date.now,
    isStopped: () => stop.code() !== 0,
    reporter: reporterFor(progress, size),
  }).finally(progress.end);
  const seconds = (performance.now() - start) / 1000;
  printSummary(result, { rejected, isDry: !imports, seconds, json });
  if (!result.done) process.exitCode = stop.code();
  else if (result.rejected > 0) process.exitCode = 1;
};

const TEXTS: CommandTexts = {
  notes: [
    "The first line of CSV names the columns: name, category (a name, such as Dog) or categoryId, and status, spelled in any way (Category ID, category_id). Common names of other columns, such as Animal Name or Species, are guessed, and the command says so; --map decides otherwise. Titles above that line are skipped. The separator is detected. Each row must meet the rules of POST /v1/pets; a status may be empty, and its case does not matter. Animals get new ids: the columns id, line and reason, which exports and files of rejected rows have, are ignored.",
    "A row that breaks a rule goes to FILE.rejected, with its line and the reason, and the exit code is 1. Correct the rows there, and import that file. An import that was stopped continues when it is run again; a file that was imported is refused.",
  ],
  examples: [
    { text: "Check a file, and write nothing", line: "adoption-store import animals.csv --dry-run" },
    {
      text: "Import a file whose columns have other names",
      line: 'adoption-store import animals.csv --map "Pet=name" --map "Sort=category"',
    },
    {
      text: "Create the categories that the file names",
      line: "adoption-store import animals.csv --create-categories",
    },
    {
      text: "Translate a status of the file",
      line: 'adoption-store import animals.csv --value "status:Rehomed=sold"',
    },
  ],
  exitCodes: { 0: "all rows were added", 1: "the command failed, or rows were rejected" },
};

const run = async (config: Config, importOptions: ImportOptions, flags: ImportFlags): Promise<void> => {
  const { strictCategories, dataDir } = config;
  const isDry = flags.dryRun ?? false;
  const accessTo = (database: Database | undefined) =>
    categoryAccess(config, database, { creates: flags.createCategories ?? false, isDry });
  if (isDry && !strictCategories && !existsSync(databasePath(dataDir)))
    return perform(importOptions, flags, { imports: undefined, categories: accessTo(undefined) });
  const lockPath = (id: number) => join(dataDir, `import-${id}.lock`);
  await withDatabase(config, (database) =>
    perform(importOptions, flags, {
      imports: isDry ? undefined : importRepository(database, { now: Date.now, strictCategories, lockPath }),
      categories: accessTo(database),
    }),
  );
};

export const importCommand = (): Command =>
  withSettings(
    withTexts(new Command("import"), TEXTS)
      .summary("add the animals of a file")
      .description("add the animals of a CSV or NDJSON file; the server may be running")
      .argument("<file>", "the file, or - for standard input")
      .addOption(
        new Option("--format <format>", "the format (default: by the file's name)").choices([
          "csv",
          "ndjson",
        ]),
      )
      .option("--delimiter <character>", "what separates cells: comma, semicolon, tab, pipe or a character")
      .option("--encoding <name>", "how letters are encoded, such as windows-1252 (default: utf-8)")
      .addOption(
        new Option(
          "--map <column=field>",
          'which field a column is, such as "Animal Name=name", or ignore; repeatable',
        )
          .default([], "none")
          .argParser(addMapping),
      )
      .addOption(
        new Option(
          "--value <from=to>",
          'maps a status or category of the file, such as "status:Rehomed=sold"; repeatable',
        )
          .default([], "none")
          .argParser(addValue),
      )
      .option("--create-categories", "create the categories that rows name and that do not exist")
      .option("--dry-run", "check all rows, show the first five and write nothing")
      .option("--rejected <file>", "where to write rejected rows (default: FILE.rejected)")
      .option("--again", "import a file that was imported before once more")
      .option(
        "--raw",
        "read names unchanged, for a file written by export --raw; without it, import removes a ' before a formula",
      )
      .addOption(formerGuardFlag())
      .option("--json", "print the summary as JSON"),
    ["strictCategories"],
  ).action(async (file: string, flags: ImportFlags) => {
    const config = configBeside(flags);
    await run(config, importOptionsOf(file, flags), flags);
  });
