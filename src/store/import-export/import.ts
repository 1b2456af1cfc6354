import type { Dependencies, ImportOptions, Preview, RowCounts } from "./import-options.ts";
import { type ImportWriter, importWriter } from "./import-writer.ts";
import { type FieldColumns, type FileFormat, readFormat } from "./read-format.ts";
import type { Import } from "./repository.ts";
import { type ResumePoint, findResumePoint } from "./resume-point.ts";
import { openSource } from "./source.ts";
import { unknownValues } from "./value-mapping.ts";

/** The counts of the whole file, including those of the import that this one continued. */
export interface ImportResult extends RowCounts {
  /** False if it was stopped. */
  done: boolean;
  /** Rows that the previous import read, and how many of them it rejected. */
  before: number;
  rejectedBefore: number;
  /** Rows of blank cells, which are skipped. Those of the previous import are not counted. */
  blank: number;
  /** The column of each field. */
  columns: FieldColumns;
  /** The names of the categories that were created, or would be. */
  created: readonly string[];
  /** The first rows, if nothing is written. */
  preview: readonly Preview[];
}

const resultOf = (
  { state, created, preview }: ImportWriter,
  previous: Import | undefined,
  { columns }: FileFormat,
  { done, blank }: Pick<ImportResult, "done" | "blank">,
): ImportResult => {
  const { read = 0, added = 0, rejected = 0 } = state() ?? previous ?? {};
  const { read: before = 0, rejected: rejectedBefore = 0 } = previous ?? {};
  return { read, added, rejected, done, before, rejectedBefore, blank, columns, created, preview };
};

/** Writes the rows after the resume point, until the import is stopped. */
const writeRows = async (
  format: FileFormat,
  { rest, position }: ResumePoint,
  writer: ImportWriter,
  isStopped: () => boolean,
): Promise<Pick<ImportResult, "done" | "blank">> => {
  let blank = 0;
  for await (const batch of format.batches(rest, position)) {
    for (let index = 0; index < batch.rows.length;) {
      if (isStopped()) return { done: false, blank };
      const rows = batch.rows.slice(index, index + writer.batchSize());
      index += rows.length;
      const isLast = index === batch.rows.length;
      await writer.write(rows, batch, isLast ? batch.end : (rows.at(-1)?.end ?? batch.end));
    }
    if (isStopped()) return { done: false, blank };
    writer.see(batch, batch.end);
    blank += batch.blank ?? 0;
  }
  return { done: true, blank };
};

/**
 * Imports a file: every row is added or rejected. Progress is stored in the same transaction as the animals: however an
 * import ends, the next one of the same file continues after its last row.
 * @throws FileRefused if the file cannot be read or was imported before; ConcurrentImport; CategoryGone
 */
export const importFile = async (
  options: ImportOptions,
  dependencies: Dependencies,
): Promise<ImportResult> => {
  const { imports, reporter, isStopped, categories } = dependencies;
  const { path, reimport, encoding } = options;
  const open = () => openSource(path, encoding);
  const opened = await open();
  const unknown = unknownValues();
  const format = readFormat(options, opened.head, categories, unknown);
  for (const note of format.notes) reporter.onNote(note);
  const known = imports?.all() ?? [];
  const newestId = Math.max(0, ...known.map(({ id }) => id));
  const point = await findResumePoint(open, opened, known, {
    firstRow: format.firstRow.bytes,
    columns: JSON.stringify(format.columns),
    reimport,
    canReopen: path !== undefined,
  });
  using writer = importWriter({ options, dependencies, format, point, newestId, unknown });
  const end = await writeRows(format, point, writer, isStopped);
  if (end.done) await writer.finish();
  for (const note of unknown.notes()) reporter.onNote(note);
  // The file itself would be refused as imported.
  if (unknown.notes().length > 0 && imports && options.rejected !== undefined)
    reporter.onNote(`these rows are in ${options.rejected}: import that file with the flags that you add`);
  const ignored = end.done ? format.ignored() : undefined;
  if (ignored !== undefined) reporter.onNote(ignored);
  return resultOf(writer, point.previous, format, end);
};
