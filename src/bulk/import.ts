import type { NewPet } from "../pets/pet.ts";
import { quantity } from "../lib/quantity.ts";
import { type Columns, FileRefused, fieldIndexes, ignoredNote, isRejectedFile } from "./columns.ts";
import { readCsv, readHeader } from "./csv-reader.ts";
import { type ImportSession, openSession } from "./import-session.ts";
import { readNdjson } from "./ndjson-reader.ts";
import { NO_REJECTED } from "./rejected-file.ts";
import { type RejectedFormat, rejectedCsv, rejectedNdjson } from "./rejected-format.ts";
import type { Import, ImportRepository } from "./repository.ts";
import { type ResumePoint, findResumePoint } from "./resume-point.ts";
import { type Batch, type Position, type Row, START } from "./row.ts";
import { type Source, sha256, openSource } from "./source.ts";
import { type RowValidator, csvRowValidator, objectRowValidator } from "./validate-row.ts";
import { writePacing } from "./write-pacing.ts";

export type Format = "csv" | "ndjson";

export interface ImportOptions {
  /** Undefined: standard input. */
  path: string | undefined;
  format: Format;
  delimiter: string | undefined;
  columns: Columns;
  /** The file was written with `export --for-spreadsheets`. */
  hasGuardedFormulas: boolean;
  /** Imports the whole file, even if it was imported before. */
  reimport: boolean;
  /** The path of the file for rejected rows. Without one they are only reported. */
  rejected: string | undefined;
}

interface RowCounts {
  read: number;
  added: number;
  rejected: number;
}

/** Called while an import runs. */
interface Reporter {
  onNote(text: string): void;
  onProgress(counts: RowCounts & { bytes: number }): void;
  onRejected(line: number, reason: string): void;
}

export interface Dependencies {
  /** Undefined: rows are only validated. */
  imports: ImportRepository | undefined;
  /** True if the category exists; undefined if animals may belong to any. */
  hasCategory: ((categoryId: bigint) => boolean) | undefined;
  now(): number;
  reporter: Reporter;
  isStopped(): boolean;
}

/** The counts of the whole file, including those of the import that this one continued. */
export interface ImportResult extends RowCounts {
  /** False if it was stopped. */
  done: boolean;
  /** Rows that the previous import read, and how many of them it rejected. */
  before: number;
  rejectedBefore: number;
  /** Rows of blank cells, which are skipped. Those of the previous import are not counted. */
  blank: number;
}

/** How to read the rows of one file, and how to write rejected ones. */
interface FileFormat {
  firstRow: Position;
  batches(rest: AsyncIterable<Buffer>, position: Position): AsyncGenerator<Batch>;
  validate: RowValidator;
  rejected: RejectedFormat;
  /** True for a row of a file of rejected rows. */
  isFromRejectedFile(row: Row): boolean;
  unknownColumns(): string[];
}

const readFormat = (
  { format, delimiter, columns, hasGuardedFormulas }: ImportOptions,
  head: Buffer,
): FileFormat => {
  if (format === "ndjson") {
    const unknownKeys = new Set<string>();
    return {
      firstRow: START,
      batches: readNdjson,
      validate: objectRowValidator(columns, unknownKeys),
      rejected: rejectedNdjson,
      isFromRejectedFile: ({ content }) => isRejectedFile(Object.keys(content)),
      unknownColumns: () => [...unknownKeys],
    };
  }
  const header = readHeader(head, columns, delimiter);
  const indexes = fieldIndexes(header.cells, columns);
  return {
    firstRow: header.end,
    batches: (rest, position) => readCsv(rest, position, header.delimiter),
    validate: csvRowValidator({ indexes, width: header.cells.length, hasGuardedFormulas }),
    rejected: rejectedCsv(header.cells, header.delimiter),
    isFromRejectedFile: () => isRejectedFile(header.cells),
    unknownColumns: () => header.cells.filter(columns.isUnknown),
  };
};

/** Invalid bytes decode to U+FFFD, which is also what the file of rejected rows has in their place. */
const REPLACEMENT = "\uFFFD";

/** Validates a row, its text encoding and its category. */
const rowValidator =
  (
    { validate, isFromRejectedFile: isOfRejected }: FileFormat,
    { isBroken, encoding }: Source,
    hasCategory: Dependencies["hasCategory"],
  ) =>
  (row: Row): NewPet | string => {
    const pet = validate(row);
    if (typeof pet === "string") return pet;
    if (pet.name.includes(REPLACEMENT) && isBroken())
      return `name: is not ${encoding}: save the file as UTF-8 (spreadsheets call it CSV UTF-8)`;
    if (pet.name.includes(REPLACEMENT) && isOfRejected(row))
      return "name: U+FFFD stands for bytes that were not text: replace it with the right letters";
    const { categoryId } = pet;
    return !hasCategory || hasCategory(categoryId) ? pet : `categoryId: there is no category ${categoryId}`;
  };

/** The animals of valid rows, and the lines of rejected ones. */
const sortRows = (
  rows: readonly Row[],
  validate: (row: Row) => NewPet | string,
  {
    onRejected,
    formatLine,
  }: { onRejected: Reporter["onRejected"]; formatLine: RejectedFormat["formatLine"] | undefined },
) => {
  const pets: NewPet[] = [];
  let rejectedLines = "";
  for (const row of rows) {
    const pet = validate(row);
    if (typeof pet !== "string") pets.push(pet);
    else {
      onRejected(row.line, pet);
      if (formatLine) rejectedLines += formatLine(row, pet);
    }
  }
  return { pets, rejectedLines };
};

const formatDate = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");

/** Names the file with the rows that the previous import rejected, unless this import appends to it. */
const previousRejectedNote = (previous: Import, current: Import | undefined): string => {
  const { rejected, rejectedFile, rejectedBytes } = previous;
  if (!current || rejected === 0) return "";
  if (rejectedFile !== current.rejectedFile)
    return `; the rows that it rejected are in ${rejectedFile ?? "the file that it named"}`;
  return rejectedBytes > current.rejectedBytes
    ? `; the rows that it rejected are no longer in ${rejectedFile}, which is started again`
    : "";
};

const resumeNote = (previous: Import, current: Import | undefined): string =>
  previous.finishedAt === null
    ? `continues after the ${quantity(previous.read, "row")} that an earlier import has read${previousRejectedNote(previous, current)}`
    : `${quantity(previous.read, "row")} of it ${previous.read === 1 ? "was" : "were"} imported on ${formatDate(previous.finishedAt)}: continues after them; --again imports all`;

/**
 * Writes the rows of a file after its resume point. The first rows open the session, with its lock and the file of rejected
 * rows.
 */
const importWriter = (
  options: ImportOptions,
  { imports, reporter, now, hasCategory }: Dependencies,
  format: FileFormat,
  { position, source, previous, fingerprint }: ResumePoint,
  newestId: number,
) => {
  const validate = rowValidator(format, source, hasCategory);
  const pacing = writePacing();
  const started = { hash: fingerprint.digest(), bytes: position.bytes };
  /** How many bytes of the file `fingerprint` covers. */
  let seen = position.bytes;
  let session: ImportSession | undefined;
  let state: Import | undefined;

  const see = ({ bytes, start }: Batch, end: number) => {
    fingerprint.add(bytes.subarray(seen - start, end - start));
    seen = end;
  };

  const begin = async (): Promise<Import> => {
    const { path, reimport, rejected } = options;
    const file = path ?? "standard input";
    const counts = { read: 0, added: 0, rejected: 0 };
    const head = sha256(source.head);
    const record = { ...started, ...NO_REJECTED, ...counts, file, head, startedAt: now() };
    const { heading } = format.rejected;
    session =
      imports && (await openSession(imports, { previous, record, reimport, newestId, rejected, heading }));
    if (previous) reporter.onNote(resumeNote(previous, session?.state));
    return session?.state ?? { ...record, id: 0, rejectedFile: null, finishedAt: null };
  };

  return {
    batchSize: pacing.batchSize,
    see,
    state: () => state,
    /** Adds the valid rows and stores the progress up to `end`, in one transaction. */
    async write(rows: readonly Row[], batch: Batch, end: number): Promise<void> {
      state ??= await begin();
      const { pets, rejectedLines } = sortRows(rows, validate, {
        onRejected: reporter.onRejected,
        formatLine: session?.rejectedFile && format.rejected.formatLine,
      });
      see(batch, end);
      const next: Import = {
        ...state,
        hash: fingerprint.digest(),
        bytes: end,
        read: state.read + rows.length,
        added: state.added + pets.length,
        rejected: state.rejected + rows.length - pets.length,
      };
      if (rejectedLines !== "" && session?.rejectedFile) {
        session.rejectedFile.add(rejectedLines);
        Object.assign(next, session.rejectedFile.written);
      }
      const { id, bytes: from } = state;
      if (imports) await pacing.write(rows.length, () => imports.addRows(id, from, next, pets));
      state = next;
      reporter.onProgress(next);
    },
    /** @throws FileRefused if the whole file was imported before */
    async finish(): Promise<void> {
      if (!state && previous && previous.finishedAt !== null)
        throw new FileRefused(
          `${options.path ?? "the file"} was already imported on ${formatDate(previous.finishedAt)} (${quantity(previous.added, "animal")}); use --again to import it again`,
        );
      const id = state?.id ?? previous?.id;
      if (id !== undefined) await imports?.finish(id, now());
    },
    [Symbol.dispose]: () => session?.[Symbol.dispose](),
  };
};

const resultOf = (
  state: Import | undefined,
  previous: Import | undefined,
  done: boolean,
  blank: number,
): ImportResult => {
  const { read = 0, added = 0, rejected = 0 } = state ?? previous ?? {};
  const { read: before = 0, rejected: rejectedBefore = 0 } = previous ?? {};
  return { read, added, rejected, done, before, rejectedBefore, blank };
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
  const { imports, reporter, isStopped } = dependencies;
  const { path, reimport } = options;
  const open = () => openSource(path);
  const opened = await open();
  const format = readFormat(options, opened.head);
  const known = imports?.all() ?? [];
  const newestId = Math.max(0, ...known.map(({ id }) => id));
  const firstRow = format.firstRow.bytes;
  const canReopen = path !== undefined;
  const point = await findResumePoint(open, opened, known, { firstRow, reimport, canReopen });
  using writer = importWriter(options, dependencies, format, point, newestId);
  let blank = 0;
  const result = (done: boolean) => resultOf(writer.state(), point.previous, done, blank);

  for await (const batch of format.batches(point.rest, point.position)) {
    for (let index = 0; index < batch.rows.length;) {
      if (isStopped()) return result(false);
      const rows = batch.rows.slice(index, index + writer.batchSize());
      index += rows.length;
      const isLast = index === batch.rows.length;
      await writer.write(rows, batch, isLast ? batch.end : (rows.at(-1)?.end ?? batch.end));
    }
    if (isStopped()) return result(false);
    writer.see(batch, batch.end);
    blank += batch.blank ?? 0;
  }
  await writer.finish();
  const note = ignoredNote(options.format === "ndjson" ? "fields" : "columns", format.unknownColumns());
  if (note) reporter.onNote(note);
  return result(true);
};
