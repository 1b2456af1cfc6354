import type { CategoryAccess } from "./category-names.ts";
import { type BatchChanges, StoreChanged } from "./change-queries.ts";
import type { Decision, ImportedPet, PetUpdate, PresentPet } from "./changes.ts";
import { rowChecker } from "./check-rows.ts";
import { type FormatOptions, type FileFormat, type FieldColumns, readFormat } from "./read-format.ts";
import { mayBeAbsent, type PresentPets } from "./present-queries.ts";
import { COUNTS, type ImportRepository, type Import, type StoreResponse, storing } from "./repository.ts";
import {
  type Encoding,
  type Source,
  sha256,
  openSource,
  skip,
  fingerprint as newFingerprint,
} from "./source.ts";
import { basename, resolve } from "node:path";
import { quantity } from "../../lib/quantity.ts";
import { SHARED_CHUNK_BYTES, writePacing, yieldThread } from "./pacing.ts";
import { quoted, shellWord } from "../../lib/text.ts";
import type { Field as CustomField } from "../pets/fields/field.ts";
import { FileRefused } from "./columns.ts";
import {
  type RejectedFile,
  NO_REJECTED,
  assertNoFile,
  openRejectedFile,
  removeRejectedFile,
} from "./rejected-file.ts";
import { type ResumePoint, findResumePoint } from "./resume-point.ts";
import type { Batch, Row } from "./row.ts";
import { type UnknownValues, unknownValues } from "./value-mapping.ts";

export interface ImportOptions extends FormatOptions {
  /** Undefined: standard input. */
  path: string | undefined;
  /** The name of the file, for messages and records. */
  name: string;
  /** Undefined: UTF-8, or UTF-16 with a byte order mark. */
  encoding: Encoding;
  /** Imports the whole file, even if it was imported before. */
  reimport: boolean;
  /** The path of the file for rejected rows. Without one they are only reported. */
  rejected: string | undefined;
  /** What an update does with the animals that the file lacks. Undefined: it reports them. */
  missing: "adopted" | "delete" | undefined;
  /** It also does that with more than half of all animals. */
  isConfirmed: boolean;
}

export type RowCounts = Record<(typeof COUNTS)[number], number>;

/** A row that would change the store. */
export interface Preview {
  line: number;
  decision: Extract<Decision, { kind: "added" | "updated" }>;
  /** The category's name; undefined if it has no record. */
  category: string | undefined;
  /** That of the animal before an update. */
  previousCategory: string | undefined;
}

/** Called while an import runs. */
export interface Reporter {
  /** A decision, with its reason. */
  debug(line: string): void;
  onNote(text: string): void;
  onProgress(counts: RowCounts & { bytes: number }): void;
  /** A row that changes nothing, although it names an animal. */
  onRefused(row: Row, decision: RefusedRow): void;
}

type RefusedRow = Extract<Decision, { reason: string }>;

export interface Dependencies {
  /** Undefined: rows are only validated. */
  imports: ImportRepository | undefined;
  /** Those that were not undone. */
  earlierImports(): Import[];
  categories: CategoryAccess;
  present: PresentPets;
  /** Adds a custom field. */
  addField(field: CustomField): Promise<void>;
  now(): number;
  reporter: Reporter;
  isStopped(): boolean;
  /** Stores the response in the transaction that finishes the import. */
  keep?: StoreResponse<ImportResult> | undefined;
  /** True in a server: its requests need the thread, too. */
  sharesThread: boolean;
  /** How many changes a dry run shows. */
  maxPreview: number;
}

/** An import that no other process can write to until it is disposed of. */
interface ImportSession extends Disposable {
  state: Import;
  rejectedFile: RejectedFile | undefined;
}

const formatDate = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");

/** Names the file with the rows that the previous import rejected, unless this import appends to it. */
const previousRejectedNote = (previous: Import, current: Import | undefined): string => {
  const { rejected, rejectedFile, rejectedBytes } = previous;
  if (!current || rejected === 0) return "";
  if (rejectedFile === null) return "; the rows that it rejected are not listed again";
  if (rejectedFile !== current.rejectedFile)
    return `; the rows that it rejected are in ${basename(rejectedFile)}`;
  return rejectedBytes > current.rejectedBytes
    ? `; the rows that it rejected are no longer in ${basename(rejectedFile)}, which is started again`
    : "";
};

const resumeNote = (previous: Import, current: Import | undefined): string =>
  previous.finishedAt === null
    ? `continues after the ${quantity(previous.read, "row")} that an earlier import has read${previousRejectedNote(previous, current)}`
    : `${quantity(previous.read, "row")} of it ${previous.read === 1 ? "was" : "were"} imported on ${formatDate(previous.finishedAt)}: continues after them; --again imports all`;

/** Every row of the file was imported before. */
export class AlreadyImported extends FileRefused {
  override name = "AlreadyImported";
}

const importedMessage = (
  file: string,
  { added, rejected, rejectedFile }: Import,
  finishedAt: number,
): string => {
  const place = rejectedFile === null ? "in a separate file" : `in ${basename(rejectedFile)}`;
  const remedy =
    rejected === 0
      ? "add --again to import it once more"
      : `correct the rejected rows ${place} and import that, or add --again to import all rows once more`;
  return `${file} was already imported on ${formatDate(finishedAt)} (${quantity(added, "animal")}): ${remedy}`;
};

/** The categories with a record that animals belong to: they must still be there when the animals are stored. */
const recordedCategories = (
  { added, updated }: BatchChanges,
  { columns }: FileFormat,
  { names }: CategoryAccess,
): Set<bigint> =>
  new Set(
    columns.category === undefined
      ? []
      : [...added, ...updated.map(({ after }) => after)]
          .map(({ categoryId }) => categoryId)
          .filter((id) => names.nameOf(id) !== undefined),
  );

const MAX_TRIES = 5;

/** Tries again if another client changed animals in between. @throws StoreChanged if that happens each time */
const retrying = async (work: () => Promise<void>): Promise<void> => {
  for (let tries = 1; ; tries++)
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreChanged) || tries === MAX_TRIES) throw error;
    }
};

/** How many absent animals are named. */
const MAX_ABSENT = 20;

const unnamedNote = (rows: number): string =>
  `${quantity(rows, "row")} without a usable key: the absent animals cannot be determined: correct these rows first`;

/** Why an absent animal stays as it is. */
const KEPT = {
  adopted: "left unchanged because of open orders: complete or cancel these first",
  delete: "kept: animals with orders or photos are never deleted by an import",
};

const ACTED = { adopted: "marked as adopted", delete: "deleted" };

const notesOfAbsent = (
  missing: ImportOptions["missing"],
  { acted, kept, isDry }: { acted: number; kept: number; isDry: boolean },
): string[] =>
  missing
    ? [
        ...(acted > 0
          ? [`${quantity(acted, "absent animal")} ${isDry ? "to be " : ""}${ACTED[missing]}`]
          : []),
        ...(kept > 0 ? [`${quantity(kept, "absent animal")} ${KEPT[missing]}`] : []),
      ]
    : [];

/** An update acts on so many absent animals without a question, and on up to half of all. */
const FEW = 10;

/** Why the file may have only a part of the animals; undefined if few enough are absent. */
const findGap = async (
  pages: Iterable<readonly PresentPet[]>,
  isAbsent: (pet: PresentPet) => boolean,
  missing: NonNullable<ImportOptions["missing"]>,
): Promise<string | undefined> => {
  let [all, absent] = [0, 0];
  for (const page of pages) {
    await yieldThread();
    all += page.length;
    absent += page.filter(isAbsent).length;
  }
  return absent > FEW && absent * 2 > all
    ? `${absent} of ${all} animals are not in the file, so none was ${ACTED[missing]}: if the file is complete, run the command again with --yes`
    : undefined;
};

const changesOfAbsent = (found: readonly PresentPet[], missing: ImportOptions["missing"]): BatchChanges => ({
  added: [],
  updated:
    missing === "adopted"
      ? found
          .filter(({ openOrder }) => openOrder === null)
          .map((before) => ({ before, after: { ...before, status: "sold" } }))
      : [],
  deleted: missing === "delete" ? found.filter(({ isBound }) => !isBound) : [],
});

const NO_ROWS = Object.fromEntries(COUNTS.map((name) => [name, 0])) as RowCounts;

/** A new import that has read nothing. */
type NewRecord = Parameters<ImportRepository["start"]>[0] & RowCounts;

/** True for an unfinished import of the same file with the same columns. */
const isInterrupted = (one: Import, { head, columns }: Pick<NewRecord, "head" | "columns">): boolean =>
  one.finishedAt === null && one.head === head && one.columns === columns;

/**
 * Starts an import or continues one. The file of rejected rows is opened only after the import is locked.
 * @throws FileRefused, ConcurrentImport
 */
const openSession = async (
  imports: ImportRepository,
  { rejected, reimport }: ImportOptions,
  { rejected: format, key }: FileFormat,
  record: Omit<NewRecord, "rejectedFile">,
  previous: Import | undefined,
  known: readonly Import[],
): Promise<ImportSession> => {
  using resources = new DisposableStack();
  const path = rejected === undefined ? null : resolve(rejected);
  // An interrupted update starts again under its id: one undo covers both runs.
  const restarted = key === undefined ? undefined : known.find((one) => isInterrupted(one, record));
  const reopened = previous ?? restarted;
  if (reopened) resources.use(imports.hold(reopened.id));
  // The user may have corrected the rows that a finished import rejected: only an interrupted one keeps its file.
  const isSameFile = reopened?.finishedAt === null && reopened.rejectedFile === path;
  if (isSameFile && restarted && rejected !== undefined) removeRejectedFile(rejected, restarted);
  if (rejected !== undefined && !isSameFile) assertNoFile(rejected);
  const rejectedFile =
    rejected === undefined
      ? undefined
      : openRejectedFile(rejected, format.heading, isSameFile ? previous : undefined);
  if (rejectedFile) resources.defer(() => rejectedFile.close());
  const progress = rejectedFile?.written ?? NO_REJECTED;
  const { head, columns } = record;
  const started = { ...record, ...previous, ...progress, head, columns, rejectedFile: path };
  const newestId = Math.max(0, ...known.map(({ id }) => id));
  const id = reopened?.id ?? (await imports.start(started, reimport || key !== undefined, newestId));
  const state = { ...started, id, finishedAt: null, undoneAt: null };
  if (reopened) await imports.resume(state, reopened.bytes);
  else resources.use(imports.hold(id));
  const owned = resources.move();
  return { state, rejectedFile, [Symbol.dispose]: () => owned.dispose() };
};

const previewOf = ({ line }: Row, decision: Preview["decision"], { names }: CategoryAccess): Preview => ({
  line,
  decision,
  category: names.nameOf(decision.after.categoryId),
  previousCategory: decision.before && names.nameOf(decision.before.categoryId),
});

/** The record of a new import at its resume point. */
const newRecord = (
  { name }: ImportOptions,
  { columns }: FileFormat,
  { position, source, fingerprint }: ResumePoint,
  startedAt: number,
) => ({
  ...NO_REJECTED,
  ...NO_ROWS,
  hash: fingerprint.digest(),
  bytes: position.bytes,
  file: name,
  head: sha256(source.head),
  columns: JSON.stringify(columns),
  startedAt,
});

/**
 * Writes the rows of a file after its resume point. The first rows open the session, with its lock and the file of rejected
 * rows.
 */
const importWriter = (
  options: ImportOptions,
  dependencies: Dependencies,
  format: FileFormat,
  point: ResumePoint,
  known: readonly Import[],
  unknown: UnknownValues,
) => {
  const { position, source, previous, fingerprint } = point;
  const { imports, reporter, now, categories, present, sharesThread, maxPreview } = dependencies;
  const { key } = format;
  const checker = rowChecker(format, source, {
    categories,
    unknown,
    key,
    present,
    isOwn: (petId) => previous !== undefined && present.isOf(previous.id, petId),
    debug: reporter.debug,
  });
  const preview: Preview[] = [];
  /** Animals with a higher id are new. */
  const newestPet = present.newestId();
  const pacing = writePacing(sharesThread, reporter.debug);
  const absent: PresentPet[] = [];
  /** How many bytes of the file `fingerprint` covers. */
  let seen = position.bytes;
  let session: ImportSession | undefined;
  let state: Import | undefined;

  const record = newRecord(options, format, point, now());

  /** Opens the session, unless this is a dry run. */
  const begin = async (): Promise<Import> => {
    session = imports && (await openSession(imports, options, format, record, previous, known));
    if (previous) reporter.onNote(resumeNote(previous, session?.state));
    if (imports) for (const field of format.newFields) await dependencies.addField(field);
    const dry = { id: 0, rejectedFile: null, finishedAt: null, undoneAt: null };
    return session?.state ?? { ...record, ...previous, ...dry };
  };

  const recordProgress = ({ bytes, start }: Batch, end: number) => {
    fingerprint.add(bytes.subarray(seen - start, end - start));
    seen = end;
  };

  /**
   * Decides about rows, and reports those that change nothing.
   * @param refused receives the decisions that were reported: a further try keeps them
   * @returns the changes, and the lines of rejected rows that were not reported before
   */
  const sort = async (rows: readonly Row[], refused: Map<Row, Decision>) => {
    const decisions = await checker.check(rows);
    const counts = { ...NO_ROWS, read: rows.length };
    const added: ImportedPet[] = [];
    const updated: PetUpdate[] = [];
    let rejectedLines = "";
    for (const [index, found] of decisions.entries()) {
      const row = rows[index] as Row;
      const decision = refused.get(row) ?? found;
      counts[decision.kind]++;
      if (decision.kind === "added") added.push(decision.after);
      if (decision.kind === "updated") updated.push(decision);
      if ("after" in decision && !imports && preview.length < maxPreview)
        preview.push(previewOf(row, decision, categories));
      if (!("reason" in decision) || refused.has(row)) continue;
      refused.set(row, decision);
      reporter.onRefused(row, decision);
      if (decision.kind === "rejected" && session?.rejectedFile)
        rejectedLines += format.rejected.formatLine(row, decision.reason);
    }
    return { counts, changes: { added, updated, deleted: [] }, rejectedLines };
  };

  /** Stores changes and the progress, in one transaction. */
  const store = async (before: Import, next: Import, changes: BatchChanges): Promise<void> => {
    const rows = changes.added.length + changes.updated.length + changes.deleted.length;
    const needed = recordedCategories(changes, format, categories);
    const { id, bytes } = before;
    if (imports)
      await pacing.write(Math.max(rows, next.read - before.read), () =>
        imports.write(id, bytes, next, changes, needed),
      );
    state = next;
    reporter.onProgress(next);
  };

  return {
    batchSize: pacing.batchSize,
    recordProgress,
    state: () => state,
    created: checker.created,
    preview,
    /** Adds and updates the animals of rows and stores the progress up to `end`, in one transaction. */
    async write(rows: readonly Row[], batch: Batch, end: number): Promise<void> {
      state ??= await begin();
      const before = state;
      recordProgress(batch, end);
      const refused = new Map<Row, Decision>();
      await retrying(async () => {
        const { counts, changes, rejectedLines } = await sort(rows, refused);
        const totals = Object.fromEntries(COUNTS.map((name) => [name, before[name] + counts[name]]));
        if (rejectedLines !== "") session?.rejectedFile?.add(rejectedLines);
        const written = session?.rejectedFile?.written;
        const next = { ...before, ...totals, ...written, hash: fingerprint.digest(), bytes: end };
        await store(before, next, changes);
      });
    },
    /** Preview that the file lacks. */
    absent,
    /** Finds the animals that the file of an update lacks, and acts on them. */
    async findAbsent(): Promise<void> {
      if (!key || !state) return;
      if (checker.unnamed() > 0) return reporter.onNote(unnamedNote(checker.unnamed()));
      const { missing } = options;
      const isAbsent = ({ id }: PresentPet) => !checker.seenIds.has(id);
      const gap =
        missing && !options.isConfirmed
          ? await findGap(present.pages(key, newestPet), isAbsent, missing)
          : undefined;
      if (gap !== undefined && imports) throw new FileRefused(gap);
      if (gap !== undefined) reporter.onNote(gap);
      let acted = 0;
      for (const page of present.pages(key, newestPet)) {
        await yieldThread();
        const ids = page.filter(isAbsent).map(({ id }) => String(id));
        if (ids.length === 0) continue;
        const before: Import = state;
        await retrying(async () => {
          const found = present.find("id", ids).filter((pet) => mayBeAbsent(pet, key));
          const changes = changesOfAbsent(found, missing);
          await store(before, { ...before, absent: before.absent + found.length }, changes);
          acted += changes.updated.length + changes.deleted.length;
          absent.push(...found.slice(0, MAX_ABSENT - absent.length));
        });
      }
      for (const note of notesOfAbsent(missing, { acted, kept: state.absent - acted, isDry: !imports }))
        reporter.onNote(note);
    },
    /** @throws AlreadyImported */
    assertNewRows(): void {
      if (!state && previous && previous.finishedAt !== null)
        throw new AlreadyImported(importedMessage(options.name, previous, previous.finishedAt));
    },
    [Symbol.dispose]: () => session?.[Symbol.dispose](),
  };
};

type ImportWriter = ReturnType<typeof importWriter>;

/** The counts of the whole file, including those of the import that this one continued. */
export interface ImportResult extends RowCounts {
  /** Names the import for an undo. Undefined if nothing was written. */
  id: number | undefined;
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
  /** Preview that the file of an update lacks. */
  absentPets: readonly PresentPet[];
  /** Custom fields that were added, or would be. */
  createdFields: readonly string[];
  content: FileContent;
}

/** What an import has found in its file. */
interface FileContent {
  /** The columns in their order. */
  header: FileFormat["header"];
  firstRows: readonly Row[];
  unknownValues: ReturnType<UnknownValues["list"]>;
}

const resultOf = (
  { state, created, preview, absent: absentPets }: ImportWriter,
  previous: Import | undefined,
  { columns, newFields, header }: FileFormat,
  { done, blank, firstRows }: RowsRead,
  unknown: UnknownValues,
): ImportResult => {
  const counts = state() ?? previous ?? NO_ROWS;
  const totals = Object.fromEntries(COUNTS.map((name) => [name, counts[name]])) as RowCounts;
  const { read: before, rejected: rejectedBefore } = previous ?? NO_ROWS;
  const createdFields = newFields.map(({ name }) => name);
  const content = { header, firstRows, unknownValues: unknown.list() };
  const found = { columns, created, createdFields, preview, absentPets, content };
  const id = state()?.id || previous?.id;
  return { ...totals, id, done, before, rejectedBefore, blank, ...found };
};

type RowsRead = Pick<ImportResult, "done" | "blank"> & Pick<FileContent, "firstRows">;

/** How many rows show what columns have. */
const MAX_FIRST_ROWS = 50;

/** Writes the rows after the resume point, until the import is stopped. */
const writeRows = async (
  format: FileFormat,
  { rest, position }: ResumePoint,
  writer: ImportWriter,
  isStopped: () => boolean,
): Promise<RowsRead> => {
  let blank = 0;
  const firstRows: Row[] = [];
  for await (const batch of format.batches(rest, position)) {
    firstRows.push(...batch.rows.slice(0, MAX_FIRST_ROWS - firstRows.length));
    for (let index = 0; index < batch.rows.length;) {
      await yieldThread();
      if (isStopped()) return { done: false, blank, firstRows };
      const rows = batch.rows.slice(index, index + writer.batchSize());
      index += rows.length;
      const isLast = index === batch.rows.length;
      await writer.write(rows, batch, isLast ? batch.end : (rows.at(-1)?.end ?? batch.end));
    }
    if (isStopped()) return { done: false, blank, firstRows };
    writer.recordProgress(batch, batch.end);
    blank += batch.blank ?? 0;
  }
  return { done: true, blank, firstRows };
};

/** @throws FileRefused if an animal of the store has a reference of the file */
const assertNew = async (
  open: () => Promise<Source>,
  format: FileFormat,
  { position, previous }: ResumePoint,
  { present, isStopped }: Dependencies,
): Promise<void> => {
  const { chunks } = await open();
  const { rest } = await skip(chunks, position.bytes, newFingerprint());
  for await (const { rows } of format.batches(rest, position)) {
    await yieldThread();
    if (isStopped()) return;
    const references = rows
      .map(format.read)
      .map((values) => (typeof values === "string" ? undefined : format.keyOf(values, "reference")))
      .filter((reference) => reference !== undefined);
    const other = present
      .find("reference", references)
      .find(({ id }) => !previous || !present.isOf(previous.id, id));
    if (other)
      throw new FileRefused(
        `the store has animals of this file, such as animal ${other.id} with the reference ${quoted(String(other.profile["reference"]))}: update them with --update --key ${shellWord(format.columns.reference ?? "reference")}`,
      );
  }
};

/**
 * Imports a file: every row is added or rejected. Progress is stored in the same transaction as the animals: however an
 * import ends, the next one of the same file continues after its last row.
 * @throws FileRefused if the file cannot be read or was imported before; ConcurrentImport; CategoryGone; StoreChanged
 */
export const importFile = async (
  options: ImportOptions,
  dependencies: Dependencies,
): Promise<ImportResult> => {
  const { imports, earlierImports, reporter, isStopped, categories, present, now, sharesThread } =
    dependencies;
  const { path, reimport, encoding } = options;
  const open = () => openSource(path, encoding, sharesThread ? SHARED_CHUNK_BYTES : undefined);
  const opened = await open();
  const unknown = unknownValues();
  const format = readFormat(options, opened.head, categories, unknown, now());
  reporter.debug(`reads ${opened.encoding} with the columns ${JSON.stringify(format.columns)}`);
  for (const note of format.notes) reporter.onNote(note);
  const known = earlierImports();
  // An update starts again: the rows that an interrupted one has read change nothing.
  const point = await findResumePoint(open, opened, format.key ? [] : known, {
    firstRow: format.firstRow.bytes,
    columns: JSON.stringify(format.columns),
    reimport,
    canReopen: path !== undefined,
    debug: reporter.debug,
  });
  const mayHaveReferences = format.columns.reference !== undefined || options.format === "ndjson";
  if (!format.key && path !== undefined && mayHaveReferences && present.hasReferences())
    await assertNew(open, format, point, dependencies);
  using writer = importWriter(options, dependencies, format, point, known, unknown);
  const end = await writeRows(format, point, writer, isStopped);
  if (end.done) {
    await writer.findAbsent();
    writer.assertNewRows();
  }
  for (const note of unknown.notes()) reporter.onNote(note);
  // The file itself would be refused as imported.
  if (unknown.notes().length > 0 && imports && options.rejected !== undefined)
    reporter.onNote(`these rows are in ${options.rejected}: import that file with the flags that you add`);
  const ignored = end.done ? format.ignored() : undefined;
  if (ignored !== undefined) reporter.onNote(ignored);
  const result = resultOf(writer, point.previous, format, end, unknown);
  if (end.done && result.id !== undefined)
    await imports?.finish(result.id, now(), () => storing(dependencies.keep, result));
  return result;
};
