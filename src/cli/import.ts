import { statSync } from "node:fs";
import { join } from "node:path";
import { Command, Option } from "commander";
import { type Field, columnsOf, parseMapping } from "../bulk/columns.ts";
import {
  type Format,
  type ImportResult,
  type Dependencies,
  type ImportOptions,
  importFile,
} from "../bulk/import.ts";
import { quantity } from "../lib/quantity.ts";
import { importRepository, categoryLookup } from "../bulk/repository.ts";
import { withDatabase } from "./database.ts";
import { assertReadable, assertWritable } from "./file-arguments.ts";
import { formatCount } from "./print/format.ts";
import { delimiterOf, formatOf } from "./file-format.ts";
import { type CommandTexts, withTexts } from "./help/texts.ts";
import { rowProgress } from "./print/row-progress.ts";
import { stopRequest } from "./signals.ts";
import { configBeside, withSettings } from "./settings.ts";
import { UsageError } from "./usage-error.ts";
import { note, print, printJson } from "./print/output.ts";

interface Options extends Record<string, unknown> {
  format?: Format;
  delimiter?: string;
  map: [column: string, field: Field][];
  dryRun?: boolean;
  rejected?: string;
  again?: boolean;
  forSpreadsheets?: boolean;
  json?: boolean;
}

const MAX_NOTES = 10;

const addMapping = (text: string, before: Options["map"]): Options["map"] => {
  const mapping = parseMapping(text);
  if (!mapping)
    throw new UsageError(
      `--map: ${JSON.stringify(text)} is not of the form "Animal Name=name"; the fields are name, categoryId and status`,
    );
  const [column, field] = mapping;
  for (const [otherColumn, otherField] of before) {
    if (otherColumn === column && otherField !== field)
      throw new UsageError(
        `--map: the column ${JSON.stringify(column)} is mapped to ${otherField} and to ${field}`,
      );
    if (otherColumn !== column && otherField === field)
      throw new UsageError(
        `--map: the columns ${JSON.stringify(otherColumn)} and ${JSON.stringify(column)} are both mapped to ${field}`,
      );
  }
  return [...before, mapping];
};

const importOptionsOf = (file: string, options: Options): ImportOptions => {
  const path = file === "-" ? undefined : file;
  if (path !== undefined) assertReadable(path);
  const rejected = options.rejected ?? (path === undefined ? undefined : `${path}.rejected`);
  if (rejected === undefined && !options.dryRun)
    throw new UsageError(
      "--rejected: name a file for rejected rows, for standard input has no name to derive it from",
    );
  if (rejected !== undefined && !options.dryRun) assertWritable(rejected, path);
  return {
    path,
    rejected,
    format: formatOf(path, options.format),
    delimiter: delimiterOf(options.delimiter),
    columns: columnsOf(options.map),
    hasGuardedFormulas: options.forSpreadsheets ?? false,
    reimport: options.again ?? false,
  };
};

const summaryOf = (
  { read, added, rejected, before, rejectedBefore, blank, done }: ImportResult,
  { rejected: file }: ImportOptions,
  isDry: boolean,
) => {
  const [verb, refused] = isDry ? ["would be added", "would be rejected"] : ["added", "rejected"];
  const now = rejected - rejectedBefore;
  const here = rejectedBefore > 0 ? ` (${formatCount(now)} in this run)` : "";
  const place = now > 0 && !isDry ? `${here}, see ${file}` : "";
  const skipped = blank > 0 ? `; ${quantity(blank, "blank row")} skipped` : "";
  const earlier = before > 0 ? ` (${formatCount(before)} in an earlier run)` : "";
  const counts = `${quantity(read, "row")} read${earlier}: ${formatCount(added)} ${verb}, ${formatCount(rejected)} ${refused}${place}${skipped}`;
  return done ? counts : `Stopped: ${counts}; run the same command again to continue`;
};

const perform = async (
  importOptions: ImportOptions,
  options: Options,
  { imports, hasCategory }: Pick<Dependencies, "imports" | "hasCategory">,
): Promise<void> => {
  using stop = stopRequest();
  // As in serve: the import takes longer than the JIT takes to compile it.
  Bun.unsafe.setJITPolicy(1);
  const size = importOptions.path === undefined ? undefined : statSync(importOptions.path).size;
  const progress = rowProgress(imports ? "Importing" : "Checking");
  const start = performance.now();
  let notes = 0;
  const outcome = await importFile(importOptions, {
    imports,
    hasCategory,
    now: Date.now,
    isStopped: () => stop.code() !== 0,
    reporter: {
      onNote(text) {
        progress.end();
        note(text);
      },
      onProgress: ({ read, bytes }) => progress.show(read, size && Math.min(1, bytes / size)),
      onRejected(line, reason) {
        if (++notes > MAX_NOTES) return;
        progress.end();
        note(`line ${line}: ${reason}${notes === MAX_NOTES ? " (no more are shown)" : ""}`);
      },
    },
  }).finally(progress.end);
  const seconds = (performance.now() - start) / 1000;
  const here = outcome.read - outcome.before;
  if (options.json)
    printJson({
      ...outcome,
      ...(outcome.rejected > outcome.rejectedBefore && imports && { rejectedFile: importOptions.rejected }),
      seconds,
    });
  else {
    const pace = `${seconds.toFixed(1)} s, ${formatCount(Math.round(here / seconds))} rows/s`;
    print(`${summaryOf(outcome, importOptions, !imports)} (${pace})`);
  }
  if (!outcome.done) process.exitCode = stop.code();
  else if (outcome.rejected > 0) process.exitCode = 1;
};

const TEXTS: CommandTexts = {
  notes: [
    "The first line of CSV names the columns: name, categoryId and status, spelled in any way (Category ID, category_id). The separator is detected. Each row must meet the rules of POST /v1/pets; a status may be empty, and in CSV in capitals. Animals get new ids: the columns id, line and reason, which exports and files of rejected rows have, are ignored.",
    "A row that breaks a rule goes to FILE.rejected, with its line and the reason, and the exit code is 1. Correct the rows there, and import that file. An import that was stopped continues when it is run again; a file that was imported is refused.",
  ],
  examples: [
    { text: "Check a file, and write nothing", line: "adoption-store import animals.csv --dry-run" },
    {
      text: "Import a file whose columns have other names",
      line: 'adoption-store import animals.csv --map "Animal Name=name"',
    },
  ],
  exitCodes: { 0: "all rows were added", 1: "the command failed, or rows were rejected" },
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
      .addOption(
        new Option("--map <column=field>", 'which field a column is, such as "Animal Name=name"; repeatable')
          .default([], "none")
          .argParser(addMapping),
      )
      .option("--dry-run", "check all rows and write nothing")
      .option("--rejected <file>", "where to write rejected rows (default: FILE.rejected)")
      .option("--again", "import a file that was imported before once more")
      .option("--for-spreadsheets", "the file was written by export --for-spreadsheets")
      .option("--json", "print the summary as JSON"),
    ["strictCategories"],
  ).action(async (file: string, options: Options) => {
    const config = configBeside(options);
    const { strictCategories } = config;
    const importOptions = importOptionsOf(file, options);
    const isDry = options.dryRun ?? false;
    if (isDry && !strictCategories)
      return perform(importOptions, options, { imports: undefined, hasCategory: undefined });
    await withDatabase(
      config,
      (database) =>
        perform(importOptions, options, {
          imports: isDry
            ? undefined
            : importRepository(database, {
                now: Date.now,
                strictCategories,
                lockPath: (id) => join(config.dataDir, `import-${id}.lock`),
              }),
          hasCategory: strictCategories ? categoryLookup(database) : undefined,
        }),
      { create: !isDry },
    );
  });
