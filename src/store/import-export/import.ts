import type { NewPet } from "../pets/pet.ts";
import type { CategoryAccess } from "./category-names.ts";
import { type FormatOptions, type FileFormat, type FieldColumns, readFormat } from "./read-format.ts";
import type { ImportRepository, Import } from "./repository.ts";
import { type Encoding, type Source, sha256, openSource } from "./source.ts";
import { resolve } from "node:path";
import { quantity } from "../../lib/quantity.ts";
import { quoted } from "../../lib/text.ts";
import { FileRefused } from "./columns.ts";
import { type RejectedFile, NO_REJECTED, assertNoFile, openRejectedFile } from "./rejected-file.ts";
import { type ResumePoint, findResumePoint } from "./resume-point.ts";
import type { Batch, Row } from "./row.ts";
import { type ValidationResult, MissingCategory, rejectMissing } from "./validate-row.ts";
import { type UnknownValues, unknownValues } from "./value-mapping.ts";

export interface ImportOptions extends FormatOptions {
  /** Undefined: standard input. */
  path: string | undefined;
  /** Undefined: UTF-8, or UTF-16 with a byte order mark. */
  encoding: Encoding;
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

/** A row as it would be added. */
export interface Preview {
  line: number;
  pet: NewPet;
  /** The category's name; undefined if it has no record. */
  category: string | undefined;
}

/** Called while an import runs. */
interface Reporter {
  /** A decision, with its reason. */
  debug(line: string): void;
  onNote(text: string): void;
  onProgress(counts: RowCounts & { bytes: number }): void;
  onRejected(line: number, reason: string): void;
}

export interface Dependencies {
  /** Undefined: rows are only validated. */
  imports: ImportRepository | undefined;
  categories: CategoryAccess;
  now(): number;
  reporter: Reporter;
  isStopped(): boolean;
}

/** How long a transaction may hold the lock, and how long other writers have it before the next transaction. */
const HOLD_MS = 40;
/** Longer than the server's wait before it tries the lock again (RETRY_MS in db/commit.ts). */
const PAUSE_MS = 12;
const MIN_ROWS = 100;
const MAX_ROWS = 10_000;

/** Paces the transactions of an import, so that other processes can write in between. */
const writePacing = (debug: Reporter["debug"]) => {
  let rows = 500;
  /** How long the lock was held since the last sufficient pause. */
  let heldMs = 0;
  let releasedAt = performance.now();
  return {
    /** How many rows the next transaction should write. */
    batchSize: () => rows,
    /** Waits until other writers have had their turn, then calls `writeRows`. */
    async write(count: number, writeRows: () => Promise<void>): Promise<void> {
      const left = releasedAt + PAUSE_MS - performance.now();
      if (left <= 0) heldMs = 0;
      else if (heldMs >= HOLD_MS) {
        await Bun.sleep(left);
        heldMs = 0;
      }
      const start = performance.now();
      await writeRows();
      releasedAt = performance.now();
      const elapsed = releasedAt - start;
      heldMs += elapsed;
      const ideal = (count * HOLD_MS) / Math.max(1, elapsed);
      // Only halfway: one write that waited for the lock predicts little about the next.
      rows = Math.round(Math.min(MAX_ROWS, Math.max(MIN_ROWS, (rows + ideal) / 2)));
      debug(
        `writes up to ${rows} rows next: ${quantity(count, "row")} held the lock for ${elapsed.toFixed(1)} ms`,
      );
    },
  };
};

/** An import that no other process can write to until it is disposed of. */
interface ImportSession extends Disposable {
  state: Import;
  rejectedFile: RejectedFile | undefined;
}

/** Invalid bytes decode to U+FFFD, and the file of rejected rows contains U+FFFD, too. */
const REPLACEMENT = "\uFFFD";

/** Validates a row, its text encoding and its category. */
const rowValidator =
  (
    { validate, isFromRejectedFile }: FileFormat,
    { isBroken, encoding }: Source,
    { hasCategory, names }: CategoryAccess,
  ) =>
  (row: Row): ValidationResult => {
    const pet = validate(row);
    if (typeof pet === "string" || pet instanceof MissingCategory) return pet;
    if (pet.name.includes(REPLACEMENT) && isBroken())
      return `name: is not ${encoding}: save the file as UTF-8 (spreadsheets call it CSV UTF-8)`;
    if (pet.name.includes(REPLACEMENT) && isFromRejectedFile(row))
      return "name: U+FFFD stands for bytes that were not text: replace it with the right letters";
    const { categoryId } = pet;
    const exists = !hasCategory || names.nameOf(categoryId) !== undefined || hasCategory(categoryId);
    return exists ? pet : `categoryId: there is no category ${categoryId}`;
  };

/** Creates the categories that rows lack, and returns the names of those that it created. */
const createMissing = async (
  results: readonly ValidationResult[],
  { names, problemOf, create }: CategoryAccess,
  debug: Reporter["debug"],
): Promise<string[]> => {
  const created: string[] = [];
  for (const result of results) {
    if (!create || !(result instanceof MissingCategory)) continue;
    const { name } = result;
    if (names.idOf(name) !== undefined || problemOf(name) !== undefined) continue;
    debug(`creates the category ${quoted(name)}: a row names it, and no category has the name`);
    await create(name);
    created.push(name);
  }
  return created;
};

/** Validates rows, and creates the categories that they lack. */
const rowChecker = (
  format: FileFormat,
  source: Source,
  categories: CategoryAccess,
  unknown: UnknownValues,
  debug: Reporter["debug"],
) => {
  const validate = rowValidator(format, source, categories);
  const reject = (missing: MissingCategory): string => {
    const problem = categories.create && categories.problemOf(missing.name);
    return problem === undefined
      ? rejectMissing(missing, unknown)
      : `category: ${quoted(missing.name)} cannot be created: ${problem}`;
  };
  /** @returns for each row its animal, or why it is rejected; and the names of new categories */
  return async (rows: readonly Row[]): Promise<{ results: (NewPet | string)[]; created: string[] }> => {
    const first = rows.map(validate);
    const hasMissing = first.some((result) => result instanceof MissingCategory);
    if (!hasMissing) return { results: first as (NewPet | string)[], created: [] };
    const created = await createMissing(first, categories, debug);
    const results = first.map((result, index) => {
      if (!(result instanceof MissingCategory)) return result;
      const again = validate(rows[index] as Row);
      return again instanceof MissingCategory ? reject(again) : again;
    });
    return { results, created };
  };
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

const importedMessage = (
  file: string,
  { added, rejected, rejectedFile }: Import,
  finishedAt: number,
): string => {
  const remedy =
    rejected === 0
      ? "add --again to import it once more"
      : `correct the rejected rows in ${rejectedFile ?? "the file that it named"} and import that, or add --again to import all rows once more`;
  return `${file} was already imported on ${formatDate(finishedAt)} (${quantity(added, "animal")}): ${remedy}`;
};

const MAX_PREVIEW = 5;

/** Collects the first rows that would be added. */
const previewOf = ({ names }: CategoryAccess) => {
  const rows: Preview[] = [];
  return {
    rows,
    add(batch: readonly Row[], results: readonly (NewPet | string)[]): void {
      for (let at = 0; at < batch.length && rows.length < MAX_PREVIEW; at++) {
        const [row, pet] = [batch[at], results[at]];
        if (row && pet !== undefined && typeof pet !== "string")
          rows.push({ line: row.line, pet, category: names.nameOf(pet.categoryId) });
      }
    },
  };
};

/** The categories with a record that animals belong to: they must still be there when the animals are stored. */
const recordedCategories = (
  pets: readonly NewPet[],
  { columns }: FileFormat,
  { names }: CategoryAccess,
): Set<bigint> =>
  new Set(
    columns.category === undefined
      ? []
      : pets.map(({ categoryId }) => categoryId).filter((id) => names.nameOf(id) !== undefined),
  );

/**
 * Writes the rows of a file after its resume point. The first rows open the session, with its lock and the file of rejected
 * rows.
 */
const importWriter = (
  options: ImportOptions,
  { imports, reporter, now, categories }: Dependencies,
  format: FileFormat,
  { position, source, previous, fingerprint }: ResumePoint,
  newestId: number,
  unknown: UnknownValues,
) => {
  const check = rowChecker(format, source, categories, unknown, reporter.debug);
  const preview = previewOf(categories);
  const pacing = writePacing(reporter.debug);
  const created: string[] = [];
  /** How many bytes of the file `fingerprint` covers. */
  let seen = position.bytes;
  let session: ImportSession | undefined;
  let state: Import | undefined;

  /** The record of a new import at its resume point. */
  const record = {
    ...NO_REJECTED,
    hash: fingerprint.digest(),
    bytes: position.bytes,
    read: 0,
    added: 0,
    rejected: 0,
    file: options.path ?? "standard input",
    head: sha256(source.head),
    columns: JSON.stringify(format.columns),
    startedAt: now(),
  };

  /**
   * Starts an import or continues one. The file of rejected rows is opened only after the import is locked.
   * @throws FileRefused, ConcurrentImport
   */
  const openSession = async (imports: ImportRepository): Promise<ImportSession> => {
    using resources = new DisposableStack();
    const { reimport, rejected } = options;
    const path = rejected === undefined ? null : resolve(rejected);
    if (previous) resources.use(imports.hold(previous.id));
    // The user may have corrected the rows that a finished import rejected: only an interrupted one keeps its file.
    const isSameFile = previous?.finishedAt === null && previous.rejectedFile === path;
    if (rejected !== undefined && !isSameFile) assertNoFile(rejected);
    const rejectedFile =
      rejected === undefined
        ? undefined
        : openRejectedFile(rejected, format.rejected.heading, isSameFile ? previous : undefined);
    if (rejectedFile) resources.defer(() => rejectedFile.close());
    const progress = rejectedFile?.written ?? NO_REJECTED;
    const { head, columns } = record;
    const started = { ...record, ...previous, ...progress, head, columns, rejectedFile: path };
    const id = previous?.id ?? (await imports.start(started, reimport, newestId));
    const state = { ...started, id, finishedAt: null };
    if (previous) await imports.resume(state);
    else resources.use(imports.hold(id));
    const owned = resources.move();
    return { state, rejectedFile, [Symbol.dispose]: () => owned.dispose() };
  };

  /** Opens the session, unless this is a dry run. */
  const begin = async (): Promise<Import> => {
    session = imports && (await openSession(imports));
    if (previous) reporter.onNote(resumeNote(previous, session?.state));
    return session?.state ?? { ...record, id: 0, rejectedFile: null, finishedAt: null };
  };

  const recordProgress = ({ bytes, start }: Batch, end: number) => {
    fingerprint.add(bytes.subarray(seen - start, end - start));
    seen = end;
  };

  /** Validates rows, and creates the categories that they lack. @returns the animals of valid rows, and the lines of rejected ones */
  const sort = async (rows: readonly Row[]) => {
    const checked = await check(rows);
    created.push(...checked.created);
    if (!imports) preview.add(rows, checked.results);
    const pets: NewPet[] = [];
    let rejectedLines = "";
    for (const [index, row] of rows.entries()) {
      const pet = checked.results[index] as NewPet | string;
      if (typeof pet !== "string") pets.push(pet);
      else {
        reporter.onRejected(row.line, pet);
        if (session?.rejectedFile) rejectedLines += format.rejected.formatLine(row, pet);
      }
    }
    return { pets, rejectedLines };
  };

  return {
    batchSize: pacing.batchSize,
    recordProgress,
    state: () => state,
    created,
    preview: preview.rows,
    /** Adds the valid rows and stores the progress up to `end`, in one transaction. */
    async write(rows: readonly Row[], batch: Batch, end: number): Promise<void> {
      state ??= await begin();
      const { pets, rejectedLines } = await sort(rows);
      recordProgress(batch, end);
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
      const needed = recordedCategories(pets, format, categories);
      if (imports) await pacing.write(rows.length, () => imports.addRows(id, from, next, pets, needed));
      state = next;
      reporter.onProgress(next);
    },
    /** @throws FileRefused if the whole file was imported before */
    async finish(): Promise<void> {
      if (!state && previous && previous.finishedAt !== null)
        throw new FileRefused(importedMessage(options.path ?? "the file", previous, previous.finishedAt));
      const id = state?.id ?? previous?.id;
      if (id !== undefined) await imports?.finish(id, now());
    },
    [Symbol.dispose]: () => session?.[Symbol.dispose](),
  };
};

type ImportWriter = ReturnType<typeof importWriter>;

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
    writer.recordProgress(batch, batch.end);
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
  reporter.debug(`reads ${opened.encoding} with the columns ${JSON.stringify(format.columns)}`);
  for (const note of format.notes) reporter.onNote(note);
  const known = imports?.all() ?? [];
  const newestId = Math.max(0, ...known.map(({ id }) => id));
  const point = await findResumePoint(open, opened, known, {
    firstRow: format.firstRow.bytes,
    columns: JSON.stringify(format.columns),
    reimport,
    canReopen: path !== undefined,
    debug: reporter.debug,
  });
  using writer = importWriter(options, dependencies, format, point, newestId, unknown);
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
