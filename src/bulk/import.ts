import type { NewPet as Animal } from "../pets/pet.ts";
import { beginningOf } from "./begun.ts";
import { type Columns, FileRefused, noteOf, placesOf } from "./columns.ts";
import { readCsv, readHeader } from "./csv.ts";
import { readNdjson } from "./ndjson.ts";
import { turns } from "./pace.ts";
import { BEGINNING, type Batch, type Place, type Row } from "./read.ts";
import { type RejectedForm, rejectedCsv, rejectedNdjson } from "./rejected.ts";
import type { Rejections } from "./rejections.ts";
import type { Import, Imports } from "./repository.ts";
import { type Reading, readCells, readObjects } from "./rows.ts";
import { type Source, hashOf, openSource } from "./source.ts";
import { takeUp } from "./underway.ts";

export type Format = "csv" | "ndjson";

export interface Wanted {
  /** Standard input without one. */
  path: string | undefined;
  format: Format;
  delimiter: string | undefined;
  columns: Columns;
  /** The file was written with `export --for-spreadsheets`. */
  guarded: boolean;
  /** Whatever was imported before. */
  again: boolean;
  /** The file for rejected rows; without one they are only told. */
  rejected: string | undefined;
}

export interface Counts {
  read: number;
  added: number;
  rejected: number;
}

/** What an import tells while it runs. */
export interface Telling {
  note(text: string): void;
  progress(counts: Counts & { bytes: number }): void;
  rejected(line: number, reason: string): void;
}

/** What an import works with; without `imports` it only checks. */
export interface Surroundings {
  imports: Imports | undefined;
  /** Tells whether a category has a record, where animals may belong to no other. */
  isRecorded: ((categoryId: bigint) => boolean) | undefined;
  now(): number;
  telling: Telling;
  isStopped(): boolean;
}

/** How it ended: these counts are of the whole file, with those of the import that it went on with. */
export interface Outcome extends Counts {
  /** False if it was stopped. */
  done: boolean;
  /** Rows of an import before. */
  before: number;
}

/** The form of one file: how its rows are read, and written if they are rejected. */
interface Form {
  first: Place;
  batches(rest: AsyncIterable<Buffer>, place: Place): AsyncGenerator<Batch>;
  reading: Reading;
  rejected: RejectedForm;
  unknown(): string[];
}

const formOf = ({ format, delimiter, columns, guarded }: Wanted, head: Buffer): Form => {
  if (format === "ndjson") {
    const unknown = new Set<string>();
    return {
      first: BEGINNING,
      batches: readNdjson,
      reading: readObjects(columns, unknown),
      rejected: rejectedNdjson,
      unknown: () => [...unknown],
    };
  }
  const header = readHeader(head, columns, delimiter);
  const places = placesOf(header.cells, columns);
  return {
    first: header.end,
    batches: (rest, place) => readCsv(rest, place, header.delimiter),
    reading: readCells({ places, width: header.cells.length, guarded }),
    rejected: rejectedCsv(header.cells, header.delimiter),
    unknown: () => header.cells.filter(columns.isUnknown),
  };
};

const NOT_UTF8 = "is not UTF-8: save the file as UTF-8 (spreadsheets call it CSV UTF-8)";

/** Says of one row whether it is an animal; only what is no UTF-8 decodes to U+FFFD unseen. */
const judging =
  ({ reading }: Form, source: Source, isRecorded: Surroundings["isRecorded"]) =>
  (row: Row): Animal | string => {
    const verdict = reading(row);
    if (typeof verdict === "string") return verdict;
    if (source.isBroken() && verdict.name.includes("\uFFFD")) return `name: ${NOT_UTF8}`;
    const { categoryId } = verdict;
    return !isRecorded || isRecorded(categoryId) ? verdict : `categoryId: there is no category ${categoryId}`;
  };

const time = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");

/**
 * Imports a file: every row of it is added or rejected. Progress is stored with the animals, so that an import of the same file
 * goes on where this one ends, however that is.
 * @throws FileRefused if it cannot be read, or was imported before; Overtaken; CategoryGone
 */
export const importFile = async (wanted: Wanted, surroundings: Surroundings): Promise<Outcome> => {
  const { imports, telling, isStopped, now, isRecorded } = surroundings;
  const { path, again, rejected } = wanted;
  const open = () => openSource(path);
  const opened = await open();
  const form = formOf(wanted, opened.head);
  const { before, print, rest, place, source } = await beginningOf(open, opened, imports?.all() ?? [], {
    first: form.first.bytes,
    again,
    canReopen: path !== undefined,
  });
  const judgeRow = judging(form, source, isRecorded);
  const paced = turns();
  /** Up to here the file is in `print`: with the blank rows behind the last one. */
  let seen = place.bytes;
  const see = ({ bytes, start }: Batch, end: number) => {
    print.add(bytes.subarray(seen - start, end - start));
    seen = end;
  };
  using ending = new DisposableStack();
  let rejections: Rejections | undefined;
  let state: Import | undefined;

  const begin = async (): Promise<Import> => {
    const file = path ?? "standard input";
    const progress = { hash: print.soFar(), bytes: seen, read: 0, added: 0, rejected: 0, rejectedBytes: 0 };
    const of = { ...progress, file, head: hashOf(source.head), startedAt: now() };
    const heading = form.rejected.heading;
    const taken = imports && ending.use(await takeUp(imports, { before, of, again, rejected, heading }));
    rejections = taken?.rejections;
    if (before) telling.note(goesOn(before, taken?.state));
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
        telling.rejected(row.line, verdict);
        if (rejections) lines += form.rejected.line(row, verdict);
      }
    }
    see(batch, end);
    const next: Import = {
      ...state,
      hash: print.soFar(),
      bytes: end,
      read: state.read + rows.length,
      added: state.added + animals.length,
      rejected: state.rejected + rows.length - animals.length,
    };
    if (lines !== "" && rejections) next.rejectedBytes = rejections.add(lines);
    const { id, bytes: from } = state;
    if (imports) await paced.take(rows.length, () => imports.goOn(id, from, next, animals));
    state = next;
    telling.progress(next);
  };

  for await (const batch of form.batches(rest, place)) {
    for (let at = 0; at < batch.rows.length;) {
      if (isStopped()) return outcome(state, before, false);
      const rows = batch.rows.slice(at, at + paced.rows());
      at += rows.length;
      await perform(rows, batch, batch.rows[at] ? (rows.at(-1)?.end ?? seen) : batch.end);
    }
    if (isStopped()) return outcome(state, before, false);
    see(batch, batch.end);
  }
  if (!state && before && before.finishedAt !== null)
    throw new FileRefused(
      `it was imported on ${time(before.finishedAt)} (${before.added} animals): --again imports it once more`,
    );
  const id = state?.id ?? before?.id;
  if (id !== undefined) await imports?.finish(id, now());
  const unknown = noteOf(form.unknown());
  if (unknown) telling.note(unknown);
  return outcome(state, before, true);
};

const goesOn = ({ read, finishedAt, rejected, rejectedFile }: Import, now: Import | undefined): string =>
  finishedAt === null
    ? `goes on behind the ${read} rows that an import before has read` +
      (now && rejected > 0 && rejectedFile !== now.rejectedFile
        ? `; what that rejected is in ${rejectedFile ?? "the file that it named"}`
        : "")
    : `its first ${read} rows were imported on ${time(finishedAt)}: goes on behind them; --again imports all`;

const outcome = (state: Import | undefined, before: Import | undefined, done: boolean): Outcome => {
  const { read = 0, added = 0, rejected = 0 } = state ?? before ?? {};
  return { read, added, rejected, done, before: before?.read ?? 0 };
};
