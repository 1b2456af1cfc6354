import { existsSync, statSync } from "node:fs";
import type { PresentPet } from "../store/import-export/changes.ts";
import type { ImportResult } from "../store/import-export/import.ts";
import { addMapping, addValue, InvalidOption, optionsOf } from "../store/import-export/options.ts";
import { previewRow } from "../store/import-export/report.ts";
import { tuneForImport } from "../store/import-export/repository.ts";
import { type ImportRequest, openImports } from "../store/import-export/service.ts";
import { isWorkbook, WORKBOOK_ADVICE } from "../store/import-export/source.ts";
import { openCategories } from "../store/categories/service.ts";
import { problemOfName } from "../store/categories/model.ts";
import { openFields } from "../store/pets/fields/service.ts";
import type { Config } from "../config/config.ts";
import { commandContext } from "../data/context.ts";
import { databasePath } from "../data/data-dir/paths.ts";
import { type Database, openDatabase } from "../data/db/open.ts";
import { OPERATOR } from "../lib/actor.ts";
import { isVerbose } from "../lib/log.ts";
import { quantity } from "../lib/quantity.ts";
import { printable, quoted } from "../lib/text.ts";
import { petStatusName } from "../store/pets/pet.ts";
import { withDatabase } from "./database.ts";
import { assertReadable, assertWritable, FORMATS, FORMER_GUARD_FLAG, formatOf } from "./file-arguments.ts";
import { command, type Input, type Outcome } from "./command.ts";
import { formatCount, formatNames, print, rowProgress, table, terminalWidth } from "./print/output.ts";
import { effectiveConfig } from "./settings.ts";
import { stopRequest } from "./signals.ts";
import { UsageError } from "./input.ts";

/** Reports an option without a meaning as wrong use of the command. */
const asUsage =
  <Values extends unknown[], Option>(parse: (...values: Values) => Option) =>
  (...values: Values): Option => {
    try {
      return parse(...values);
    } catch (error) {
      throw error instanceof InvalidOption ? new UsageError(error.message) : error;
    }
  };

const TAKES = {
  "[file]": "the file, or - for standard input; with --undo the id of an import (default: the last one)",
  "--format <format>": { text: "the format (default: by the file's name)", choices: FORMATS },
  "--delimiter <character>": "what separates cells: comma, semicolon, tab, pipe or a character",
  "--encoding <name>": "how letters are encoded, such as windows-1252 (default: utf-8)",
  "--map <column=field>": {
    text: 'which field a column is, such as "Animal Name=name", or ignore; repeatable',
    parse: asUsage(addMapping),
    fallback: [],
    fallbackText: "none",
  },
  "--value <from=to>": {
    text: 'maps a word of the file, such as "size:Toy=small" or "status:Rehomed=sold"; repeatable',
    parse: asUsage(addValue),
    fallback: [],
    fallbackText: "none",
  },
  "--create-fields": "keep other columns in new custom fields",
  "--dates <order>": {
    text: "the order of dates such as 3/4/2026 (default: by the other dates of the file)",
    choices: ["dmy", "mdy"] as const,
  },
  "--currency <code>": "the currency of fees without one, such as EUR",
  "--update": "change the animals that the store has, and add the others",
  "--key <column>": 'the column that identifies each animal, such as "Animal ID", or id for an exported file',
  "--missing <action>": {
    text: "what --update does with animals that the file lacks (default: report them)",
    choices: ["adopted", "delete"] as const,
  },
  "--yes": "let --missing act on more than half of all animals",
  "--undo": {
    text: "restore the animals that an import added, changed or deleted",
    conflicts: ["dryRun", "update", "key", "missing", "createFields", "createCategories", "again"],
  },
  "--create-categories": "create the categories that rows name and that do not exist",
  "--dry-run": "check all rows, show the first five or the differences, and write nothing",
  "--rejected <file>": "where to write rejected rows (default: FILE.rejected)",
  "--again": "import a file that was imported before once more",
  "--raw":
    "read names unchanged, for a file written by export --raw; without it, import removes a ' before a formula",
  ...FORMER_GUARD_FLAG,
  "--json": "print the summary as JSON",
} as const;

type ImportFlags = Input<typeof TAKES>;

/** @throws UsageError */
const requestOf = (flags: ImportFlags): ImportRequest => {
  const { file } = flags;
  if (file === undefined) throw new UsageError("import: name the file, or - for standard input");
  const path = file === "-" ? undefined : file;
  if (path !== undefined) assertReadable(path);
  if (path !== undefined && flags.format === undefined && isWorkbook(path))
    throw new UsageError(`${JSON.stringify(path)}: ${WORKBOOK_ADVICE}`);
  const rejected = flags.rejected ?? (path === undefined ? undefined : `${path}.rejected`);
  if (rejected === undefined && !flags.dryRun)
    throw new UsageError(
      "--rejected: name a file for rejected rows, because standard input has no name to derive it from",
    );
  if (rejected !== undefined && !flags.dryRun) assertWritable(rejected, path);
  return {
    ...asUsage(optionsOf)({ ...flags, confirmed: flags.yes }),
    path,
    name: path ?? "standard input",
    rejected,
    format: formatOf(path, flags.format),
  };
};

const MAX_NAMES = 20;

const categoryOf = (id: bigint, category: string | undefined, created: readonly string[]): string => {
  if (category === undefined) return String(id);
  return created.includes(category) ? `${category} (new)` : category;
};

const printPreview = ({ preview, created }: ImportResult): void => {
  const rows = preview.map(({ line, decision: { after }, category }) => [
    String(line),
    printable(after.name, 60),
    printable(categoryOf(after.categoryId, category, created), 40),
    after.status ? petStatusName(after.status) : "-",
  ]);
  if (rows.length === 0) return;
  print(`${table([["LINE", "NAME", "CATEGORY", "STATUS"], ...rows], terminalWidth())}\n`);
};

const shown = (value: unknown, member: string): string => {
  if (member === "status" && value === "sold") return petStatusName(value);
  return printable(typeof value === "string" ? value : (JSON.stringify(value) ?? "-"), 40);
};

const animalName = ({ id, name }: PresentPet): string => `${printable(name, 40)} (animal ${id})`;

/** What an update would do with an absent animal. */
const fateOf = ({ isBound, openOrder }: PresentPet, missing: ImportRequest["missing"]): string => {
  if (missing === undefined) return "absent";
  const stays = missing === "delete" ? isBound : openOrder !== null;
  return `absent: ${stays ? "stays" : `would be ${missing === "delete" ? "deleted" : "adopted"}`}`;
};

/** Prints the differences between the file of an update and the store. */
const printDifferences = (
  { preview, absentPets, created, added, updated, absent }: ImportResult,
  missing: ImportRequest["missing"],
): void => {
  const changed = preview.flatMap(({ line, decision, category, previousCategory }) => {
    const name = printable((decision.before ?? decision.after).name, 40);
    if (decision.kind === "added") return [[String(line), name, "added"]];
    const { before, after, changes } = decision;
    return changes.map(({ member, from, to }) => [
      String(line),
      name,
      member === "categoryId"
        ? `category: ${printable(categoryOf(before.categoryId, previousCategory, []), 40)} → ${printable(categoryOf(after.categoryId, category, created), 40)}`
        : `${member}: ${shown(from, member)} → ${shown(to, member)}`,
    ]);
  });
  const lost = absentPets.map((pet) => ["-", animalName(pet), fateOf(pet, missing)]);
  if (changed.length + lost.length === 0) return;
  print(table([["LINE", "ANIMAL", "CHANGE"], ...changed, ...lost], terminalWidth()));
  const hidden = added + updated + absent - preview.length - absentPets.length;
  print(hidden > 0 ? `and ${quantity(hidden, "more animal")}\n` : "");
};

const summaryOf = (
  result: ImportResult,
  file: string | undefined,
  { isDry, isUpdate }: { isDry: boolean; isUpdate: boolean },
) => {
  const { read, added, rejected, before, rejectedBefore, blank, done, updated, unchanged, repeated, absent } =
    result;
  const would = isDry ? "would be " : "";
  const now = rejected - rejectedBefore;
  const here = rejectedBefore > 0 ? ` (${formatCount(now)} in this run)` : "";
  const place = now > 0 && !isDry ? `${here}, see ${file}` : "";
  const changes = [
    `${formatCount(added)} ${would}added`,
    ...(isUpdate ? [`${formatCount(updated)} ${would}changed`, `${formatCount(unchanged)} unchanged`] : []),
    `${formatCount(rejected)} ${would}rejected${place}`,
  ].join(", ");
  const others = [
    ...(blank > 0 ? [`${quantity(blank, "blank row")} skipped`] : []),
    ...(repeated > 0
      ? [
          `${quantity(repeated, "row")} skipped, because ${repeated === 1 ? "its reference is" : "their references are"} repeated`,
        ]
      : []),
    ...(absent > 0
      ? [`${quantity(absent, "animal")} in the store ${absent === 1 ? "is" : "are"} not in the file`]
      : []),
  ];
  const earlier = before > 0 ? ` (${formatCount(before)} in an earlier run)` : "";
  const counts = [`${quantity(read, "row")} read${earlier}: ${changes}`, ...others].join("; ");
  return done ? counts : `Stopped: ${counts}; run the same command again to continue`;
};

const outputOf = (
  result: ImportResult,
  { rejected, missing, key, isDry }: ImportRequest,
  seconds: number,
): Outcome => {
  const isUpdate = key !== undefined;
  const { preview, created, absentPets, content: _, ...outcome } = result;
  const pace = `${seconds.toFixed(1)} s, ${formatCount(Math.round((result.read - result.before) / seconds))} rows/s`;
  return {
    json: {
      ...outcome,
      createdCategories: created,
      ...(isDry && {
        preview: preview.map(previewRow),
      }),
      ...(isUpdate && { absentAnimals: absentPets.map(({ id, name }) => ({ id, name })) }),
      ...(outcome.rejected > outcome.rejectedBefore && !isDry && { rejectedFile: rejected }),
      seconds,
    },
    text() {
      if (isDry && isUpdate) printDifferences(result, missing);
      else if (isDry) printPreview(result);
      else if (absentPets.length > 0) print(`Absent: ${formatNames(absentPets.map(animalName), MAX_NAMES)}`);
      if (created.length > 0)
        print(`Categories that ${isDry ? "would be" : "were"} created: ${formatNames(created, MAX_NAMES)}`);
      if (outcome.createdFields.length > 0)
        print(
          `Custom fields that ${isDry ? "would be" : "were"} created: ${formatNames(outcome.createdFields, MAX_NAMES)}`,
        );
      const name = outcome.id === undefined ? "" : `; import ${outcome.id}`;
      print(`${summaryOf(result, rejected, { isDry, isUpdate })} (${pace}${name})`);
    },
  };
};

const MAX_NOTES = 10;

const reporterFor = (
  progress: ReturnType<typeof rowProgress>,
  size: number | undefined,
  { logLevel }: Config,
) => {
  let notes = 0;
  return {
    debug: isVerbose(logLevel) ? progress.note : () => {},
    onNote: progress.note,
    onProgress: ({ read, bytes }: { read: number; bytes: number }) =>
      progress.show(read, size && Math.min(1, bytes / size)),
    onRefused({ line }: { line: number }, { reason }: { reason: string }) {
      if (++notes <= MAX_NOTES) progress.note(`line ${line}: ${reason}`);
      else if (notes === MAX_NOTES + 1) progress.note("further rows are not shown");
    },
  };
};

/** How many changes a dry run shows: the first rows of new animals, or the differences of an update. */
const MAX_PREVIEW = 5;
const MAX_DIFFERENCES = 50;

const importsIn = (config: Config, database: Database) => {
  const context = commandContext(config, database);
  return openImports(context, {
    categories: openCategories(context),
    fields: openFields(context),
    problemOfName,
  });
};

const perform = async (config: Config, request: ImportRequest, database: Database): Promise<Outcome> => {
  using stop = stopRequest();
  // As in serve: the import takes longer than the JIT takes to compile it.
  Bun.unsafe.setJITPolicy(1);
  tuneForImport(database);
  const { path, key, isDry } = request;
  const size = path === undefined ? undefined : statSync(path).size;
  const progress = rowProgress(isDry ? "Checking" : "Importing");
  const start = performance.now();
  const result = await importsIn(config, database)
    .importFile(request, {
      actor: OPERATOR,
      isStopped: () => stop.code() !== 0,
      sharesThread: false,
      maxPreview: key ? MAX_DIFFERENCES : MAX_PREVIEW,
      reporter: reporterFor(progress, size, config),
    })
    .finally(progress.end);
  const seconds = (performance.now() - start) / 1000;
  if (!result.done) process.exitCode = stop.code();
  else if (result.rejected > 0) process.exitCode = 1;
  return outputOf(result, request, seconds);
};

/** Runs `work` on the store. A dry run without a store has an empty one. */
const withStore = async <Result>(
  config: Config,
  { isDry }: ImportRequest,
  work: (database: Database) => Promise<Result>,
): Promise<Result> => {
  if (!isDry || config.strictCategories || existsSync(databasePath(config.dataDir)))
    return withDatabase(config, work);
  const database = openDatabase(":memory:");
  try {
    return await work(database);
  } finally {
    await database.close();
  }
};

const run = (config: Config, flags: ImportFlags): Promise<Outcome> => {
  const request = requestOf(flags);
  return withStore(config, request, (database) => perform(config, request, database));
};

/** @throws UsageError */
const importIdOf = (text: string | undefined): number | undefined => {
  if (text === undefined || /^[1-9][0-9]{0,14}$/.test(text)) return text === undefined ? text : Number(text);
  throw new UsageError(
    `--undo: ${quoted(text)} is not the id of an import: leave it out to undo the last one`,
  );
};

const undoLast = (config: Config, id: number | undefined): Promise<Outcome> =>
  withDatabase(config, async (database) => {
    const result = await importsIn(config, database).undo(id, { actor: OPERATOR, sharesThread: false });
    const { deleted, restored, readded, file } = result;
    return {
      json: result,
      text() {
        for (const { name, id: newId, before } of readded)
          print(`${printable(name, 60)} is animal ${newId} now (was ${before})`);
        print(
          `Undid import ${result.id} of ${file}: ${quantity(deleted, "animal")} deleted, ${formatCount(restored)} restored, ${formatCount(readded.length)} re-created with new ids`,
        );
      },
    };
  });

export const importCommand = command({
  name: "import",
  summary: "add or update the animals of a file",
  description:
    "add or update the animals of a CSV or NDJSON file, or undo an import; the server may be running",
  takes: TAKES,
  settings: ["strictCategories"],
  notes: [
    "The first line of CSV names the columns: name, category (a name, such as Dog) or categoryId, and status, spelled in any way (Category ID, category_id). Common names of other columns, such as Animal Name or Species, are guessed, and the command reports each guess; --map overrides them. Columns of profiles, such as breeds or Date of Birth, are kept, too, and all others with --create-fields. Titles above that line are skipped. The separator is detected. Each row must meet the rules of POST /v1/pets; a status may be empty, and its case does not matter. Animals get new ids: the id of an export is not read. In other files, ID is a reference.",
    "With --update, rows change the animals that --key finds, and add the others. An empty cell keeps the value. --dry-run shows the differences. --undo deletes the animals that an import added and restores the others, unless one has changed since.",
    "A row that breaks a rule goes to FILE.rejected, with its line and the reason, and the exit code is 1. Correct the rows there, and import that file. An import that was stopped continues when it is run again; a file that was imported is refused.",
  ],
  examples: {
    "Check a file, and write nothing": "animals.csv --dry-run",
    "Import a file whose columns have other names": 'animals.csv --map "Pet=name" --map "Sort=category"',
    "Create the categories that the file names": "animals.csv --create-categories",
    "Keep all columns": "animals.csv --create-categories --create-fields",
    "Show what next week's file changes": 'animals.csv --update --key "Animal ID" --dry-run',
    "Undo the last import": "--undo",
    "Translate a status of the file": 'animals.csv --value "status:Rehomed=sold"',
  },
  exitCodes: { 0: "no row was rejected", 1: "the command failed, or rows were rejected" },
  run(flags) {
    const config = effectiveConfig(flags);
    return flags.undo ? undoLast(config, importIdOf(flags.file)) : run(config, flags);
  },
});
