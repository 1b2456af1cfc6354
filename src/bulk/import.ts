import type { NewPet as Animal } from "../pets/pet.ts";
import { findResumePoint } from "./resume-point.ts";
import { type Columns, FileRefused, isRejectedFile, unknownColumnsNote, fieldIndexes } from "./columns.ts";
import { readCsv, readHeader } from "./csv-reader.ts";
import { readNdjson } from "./ndjson-reader.ts";
import { writePacing } from "./write-pacing.ts";
import { quantity } from "../lib/quantity.ts";
import { START, type Batch, type Position, type Row } from "./row.ts";
import { type RejectedFormat, rejectedCsv, rejectedNdjson } from "./rejected-format.ts";
import { NO_REJECTED, type RejectedFile } from "./rejected-file.ts";
import type { Import, Imports } from "./repository.ts";
import { type RowParser, readCells, readObjects } from "./rows.ts";
import { type Source, hashOf, openSource } from "./source.ts";
import { openSession } from "./import-session.ts";

export type Format = "csv" | "ndjson";

export interface ImportOptions {
  /** Standard input without one. */
  path: string | undefined;
  format: Format;
  delimiter: string | undefined;
  columns: Columns;
  /** The file was written with `export --for-spreadsheets`. */
  hasGuardedFormulas: boolean;
  /** Whatever was imported before. */
  reimport: boolean;
  /** The file for rejected rows; without one they are only told. */
  rejected: string | undefined;
}

export interface RowCounts {
  read: number;
  added: number;
  rejected: number;
}

/** What an import tells while it runs. */
export interface Reporter {
  onNote(text: string): void;
  onProgress(counts: RowCounts & { bytes: number }): void;
  onRejected(line: number, reason: string): void;
}

/** What an import works with; without `imports` it only checks. */
export interface Dependencies {
  imports: Imports | undefined;
  /** Tells whether a category has a record, where animals may belong to no other. */
  hasCategory: ((categoryId: bigint) => boolean) | undefined;
  now(): number;
  reporter: Reporter;
  isStopped(): boolean;
}

/** How it ended: these counts are of the whole file, with those of the import that it went on with. */
export interface ImportResult extends RowCounts {
  /** False if it was stopped. */
  done: boolean;
  /** Rows of an import before, and how many of those it rejected. */
  before: number;
  rejectedBefore: number;
  /** Rows of blank cells, which are none; without those of an import before. */
  blank: number;
}

/** The form of one file: how its rows are read, and written if they are rejected. */
interface FileFormat {
  first: Position;
  batches(rest: AsyncIterable<Buffer>, place: Position): AsyncGenerator<Batch>;
  reading: RowParser;
  rejected: RejectedFormat;
  /** True for a row of a file of rejected rows. */
  isOfRejected(row: Row): boolean;
  unknown(): string[];
}

const fileFormatOf = (
  { format, delimiter, columns, hasGuardedFormulas: guarded }: ImportOptions,
  head: Buffer,
): FileFormat => {
  if (format === "ndjson") {
    const unknown = new Set<string>();
    return {
      first: START,
      batches: readNdjson,
      reading: readObjects(columns, unknown),
      rejected: rejectedNdjson,
      isOfRejected: ({ content }) => isRejectedFile(Object.keys(content)),
      unknown: () => [...unknown],
    };
  }
  const header = readHeader(head, columns, delimiter);
  const places = fieldIndexes(header.cells, columns);
  return {
    first: header.end,
    batches: (rest, place) => readCsv(rest, place, header.delimiter),
    reading: readCells({ indexes: places, width: header.cells.length, hasGuardedFormulas: guarded }),
    rejected: rejectedCsv(header.cells, header.delimiter),
    isOfRejected: () => isRejectedFile(header.cells),
    unknown: () => header.cells.filter(columns.isUnknown),
  };
};

/** What is no text decodes to U+FFFD, and is written so to the file of rejected rows. */
const REPLACEMENT = "\uFFFD";

/** Says of one row whether it is an animal. */
const rowValidator =
  (
    { reading, isOfRejected }: FileFormat,
    { isBroken, encoding }: Source,
    isRecorded: Dependencies["hasCategory"],
  ) =>
  (row: Row): Animal | string => {
    const verdict = reading(row);
    if (typeof verdict === "string") return verdict;
    if (verdict.name.includes(REPLACEMENT) && isBroken())
      return `name: is not ${encoding}: save the file as UTF-8 (spreadsheets call it CSV UTF-8)`;
    if (verdict.name.includes(REPLACEMENT) && isOfRejected(row))
      return "name: U+FFFD stands where something was not text: write what belongs there";
    const { categoryId } = verdict;
    return !isRecorded || isRecorded(categoryId) ? verdict : `categoryId: there is no category ${categoryId}`;
  };

const formatDate = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");

/**
 * Imports a file: every row of it is added or rejected. Progress is stored with the animals, so that an import of the same file
 * goes on where this one ends, however that is.
 * @throws FileRefused if it cannot be read, or was imported before; Overtaken; CategoryGone
 */
export const importFile = async (
  wanted: ImportOptions,
  surroundings: Dependencies,
): Promise<ImportResult> => {
  const { imports, reporter: telling, isStopped, now, hasCategory: isRecorded } = surroundings;
  const { path, reimport: again, rejected } = wanted;
  const open = () => openSource(path);
  const opened = await open();
  const form = fileFormatOf(wanted, opened.head);
  const known = imports?.all() ?? [];
  const newest = Math.max(0, ...known.map(({ id }) => id));
  const {
    previous: before,
    print,
    rest,
    place,
    source,
  } = await findResumePoint(open, opened, known, {
    firstRow: form.first.bytes,
    reimport: again,
    canReopen: path !== undefined,
  });
  const judgeRow = rowValidator(form, source, isRecorded);
  const paced = writePacing();
  const beginning = { hash: print.digest(), bytes: place.bytes };
  /** Up to here the file is in `print`: with the blank rows behind the last one. */
  let seen = place.bytes;
  let blank = 0;
  const see = ({ bytes, start }: Batch, end: number) => {
    print.add(bytes.subarray(seen - start, end - start));
    seen = end;
  };
  using ending = new DisposableStack();
  let rejections: RejectedFile | undefined;
  let state: Import | undefined;

  const begin = async (): Promise<Import> => {
    const file = path ?? "standard input";
    const progress = { ...beginning, ...NO_REJECTED, read: 0, added: 0, rejected: 0 };
    const of = { ...progress, file, head: hashOf(source.head), startedAt: now() };
    const heading = form.rejected.heading;
    const begun = { previous: before, of, reimport: again, newest, rejected, heading };
    const taken = imports && ending.use(await openSession(imports, begun));
    rejections = taken?.rejections;
    if (before) telling.onNote(resumeNote(before, taken?.state));
    return taken?.state ?? { ...of, id: 0, rejectedFile: null, finishedAt: null };
  };

  const perform = async (rows: readonly Row[], batch: Batch, end: number) => {
    state ??= await begin();
    const animals: Animal[] = [];
    let lines = "";
    for (const row of rows) {
      const verdict = judgeRow(row);
      if (typeof verdict !== "string") animals.push(verdict);
      else {
        telling.onRejected(row.line, verdict);
        if (rejections) lines += form.rejected.line(row, verdict);
      }
    }
    see(batch, end);
    const next: Import = {
      ...state,
      hash: print.digest(),
      bytes: end,
      read: state.read + rows.length,
      added: state.added + animals.length,
      rejected: state.rejected + rows.length - animals.length,
    };
    if (lines !== "" && rejections) {
      rejections.add(lines);
      Object.assign(next, rejections.written);
    }
    const { id, bytes: from } = state;
    if (imports) await paced.write(rows.length, () => imports.addRows(id, from, next, animals));
    state = next;
    telling.onProgress(next);
  };

  for await (const batch of form.batches(rest, place)) {
    for (let at = 0; at < batch.rows.length;) {
      if (isStopped()) return { ...resultOf(state, before, false), blank };
      const rows = batch.rows.slice(at, at + paced.batchSize());
      at += rows.length;
      await perform(rows, batch, batch.rows[at] ? (rows.at(-1)?.end ?? seen) : batch.end);
    }
    if (isStopped()) return { ...resultOf(state, before, false), blank };
    see(batch, batch.end);
    blank += batch.blank ?? 0;
  }
  if (!state && before && before.finishedAt !== null)
    throw new FileRefused(
      `it was imported on ${formatDate(before.finishedAt)} (${quantity(before.added, "animal")}): --again imports it once more`,
    );
  const id = state?.id ?? before?.id;
  if (id !== undefined) await imports?.finish(id, now());
  const unknown = unknownColumnsNote(form.unknown());
  if (unknown) telling.onNote(unknown);
  return { ...resultOf(state, before, true), blank };
};

/** Says where rows are that the import before has rejected, if that is not where those to come will be. */
const whereRejected = (before: Import, now: Import | undefined): string => {
  const { rejected, rejectedFile, rejectedBytes } = before;
  if (!now || rejected === 0) return "";
  if (rejectedFile !== now.rejectedFile)
    return `; what that rejected is in ${rejectedFile ?? "the file that it named"}`;
  return rejectedBytes > now.rejectedBytes
    ? `; what that rejected is no longer in ${rejectedFile}, which begins anew`
    : "";
};

const resumeNote = (before: Import, now: Import | undefined): string =>
  before.finishedAt === null
    ? `goes on behind the ${quantity(before.read, "row")} that an import before has read${whereRejected(before, now)}`
    : `${quantity(before.read, "row")} of it ${before.read === 1 ? "was" : "were"} imported on ${formatDate(before.finishedAt)}: goes on there; --again imports all`;

const resultOf = (
  state: Import | undefined,
  before: Import | undefined,
  done: boolean,
): Omit<ImportResult, "blank"> => {
  const { read = 0, added = 0, rejected = 0 } = state ?? before ?? {};
  const { read: readBefore = 0, rejected: rejectedBefore = 0 } = before ?? {};
  return { read, added, rejected, done, before: readBefore, rejectedBefore };
};
